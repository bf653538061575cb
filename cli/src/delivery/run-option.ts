import type { Parts, ProgramStart } from '../base/parts.ts'
import type { Command, Words } from '../command-line/command.ts'
import type { ValuesDelivery, ValuesRequest } from './values-request.ts'

/** A program that `run` starts with the values that were delivered. */
export type ProgramWithValues = {
  readonly request: ValuesRequest
  readonly delivered: ValuesDelivery
  readonly start: ProgramStart
  /** @throws CliError: the values cannot be used */
  readonly startWith: (delivered: ValuesDelivery) => Promise<ProgramStart>
}

/** What an optional module adds to `run`. */
export type RunOption = Pick<Command, 'details' | 'flags' | 'examples'> & {
  /** Why the approval has to be remembered. */
  readonly needsMemory: string
  /** @returns how the module runs the program; null: the words do not ask for it · @throws CliError usage */
  readonly read: (words: Words) => ((program: ProgramWithValues, parts: Parts) => Promise<number>) | null
}
