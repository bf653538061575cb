import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'

/** One flag of a command. With `value` it takes one, shown by that word; without, it is on or off. */
export type Flag = {
  readonly name: string
  readonly short?: string
  readonly value?: string
  /** May be given more than once. */
  readonly repeats?: true
  readonly summary: string
}

export type Example = { readonly command: string; readonly what: string }

/** One verb: all that help, completion, the manual page and the parser know of it. */
export type Command = {
  readonly name: string
  /** The operands as they are written, for example `[BUNDLE]`. */
  readonly operands: string
  readonly maxOperands: number
  /** Everything after `--` is a program and its arguments. */
  readonly takesProgram?: true
  readonly summary: string
  /** Paragraphs. */
  readonly details: readonly string[]
  readonly flags: readonly Flag[]
  readonly examples: readonly Example[]
  /** @param pending a request made earlier, to go on with (only for a command that asks for values)
   * @returns the exit code · @throws CliError */
  readonly run: (words: Words, parts: Parts, pending?: PendingRequest) => Promise<number>
}

/** What stood on the command line. */
export class Words {
  readonly operands: readonly string[]
  /** What follows `--`; null without one. */
  readonly program: readonly string[] | null
  /** All of it, from the verb on. */
  readonly line: readonly string[]
  readonly #flags: ReadonlyMap<string, readonly string[]>

  constructor({
    operands,
    program,
    line,
    flags,
  }: Pick<Words, 'operands' | 'program' | 'line'> & { flags: ReadonlyMap<string, readonly string[]> }) {
    this.operands = operands
    this.program = program
    this.line = line
    this.#flags = flags
  }

  has(flag: string): boolean {
    return this.#flags.has(flag)
  }

  /** The value given last; null without one. */
  text(flag: string): string | null {
    return this.#flags.get(flag)?.at(-1) ?? null
  }

  /** Every value given, parted at commas, blanks around each dropped; a name given twice counts once. */
  names(flag: string): readonly string[] {
    const parts = (this.#flags.get(flag) ?? []).flatMap((text) => text.split(','))
    return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))]
  }
}
