import type { Parts } from '../base/parts.ts'

/** One flag of a command. A flag with `value` takes a value, which help shows by that word; any other is on or off. */
export type CommandFlag = {
  readonly name: string
  readonly short?: string
  readonly value?: string
  /** What the flag means without a value. Such a flag takes its value after `=` only. */
  readonly valueIfBare?: string
  readonly repeats?: true
  readonly summary: string
  /** For whom help lists it; absent: for everybody. */
  readonly group?: FlagGroup
}

export type FlagGroup = 'Agents' | 'CI' | 'Rare'

const FORM = /^(?:-(?<short>\w), )?--(?<name>[\w-]+)(?: (?<value>.+?))?(?<dots>\.{3})?$/

/** A flag by its form, as help shows it: `-b, --bundle NAME`. With three dots it may be given more than once. */
export function flagOf(form: string, summary: string, group?: FlagGroup): CommandFlag {
  const { short, name = '', value, dots } = FORM.exec(form)?.groups ?? {}
  return {
    name,
    summary,
    ...(short === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
    ...(dots === undefined ? {} : { repeats: true }),
    ...(group === undefined ? {} : { group }),
  }
}

/** One command: what help, completion, the manual page and the parser need to know about it. */
export type Command = {
  readonly name: string
  /** The operands as help shows them, for example `[BUNDLE]`; left out if there are none. */
  readonly operands?: string
  /** Left out: as many as `operands` has words. */
  readonly maxOperands?: number
  /** Everything after `--` is a program and its arguments. */
  readonly takesProgram?: true
  readonly summary: string
  readonly details: readonly string[]
  readonly flags: readonly CommandFlag[]
  /** What each command line does. */
  readonly examples: Readonly<Record<string, string>>
  /** @returns the exit code · @throws CliError */
  readonly run: (words: Words, parts: Parts) => Promise<number>
}

/** Commands by what a person wants to do. */
export type CommandGroups = Readonly<Record<string, readonly Command[]>>

type ParsedLine = Pick<Words, 'operands' | 'program' | 'line'> & {
  flags: ReadonlyMap<string, readonly string[]>
}

export class Words {
  readonly operands: readonly string[]
  /** The words after `--`; null without `--`. */
  readonly program: readonly string[] | null
  /** All words, from the command's name on. */
  readonly line: readonly string[]
  readonly #flags: ReadonlyMap<string, readonly string[]>

  constructor({ operands, program, line, flags }: ParsedLine) {
    this.operands = operands
    this.program = program
    this.line = line
    this.#flags = flags
  }

  /** The same words with other operands. */
  withOperands(operands: readonly string[]): Words {
    return new Words({ operands, program: this.program, line: this.line, flags: this.#flags })
  }

  has(flag: string): boolean {
    return this.#flags.has(flag)
  }

  /** The last value given; null without the flag. */
  text(flag: string): string | null {
    return this.#flags.get(flag)?.at(-1) ?? null
  }

  /** Every flag as `--name=value`, sorted, but those to leave out. */
  flagsBut(leftOut: ReadonlySet<string>): readonly string[] {
    const flags = [...this.#flags].filter(([name]) => !leftOut.has(name))
    return flags.flatMap(([name, values]) => values.map((value) => `--${name}=${value}`)).toSorted()
  }

  /** All values, split at commas and trimmed; a name given twice counts once. */
  names(flag: string): readonly string[] {
    const parts = (this.#flags.get(flag) ?? []).flatMap((text) => text.split(','))
    return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))]
  }
}
