import type { KeyPair } from '@keyferry/crypto/key-pair'
import type { Exchange } from './exchange.ts'

/** Delivered values by name, in the order they came. */
export type Values = ReadonlyMap<string, string>

/** Who reads the progress on standard error: a person, a program, or nothing but errors. */
export type ViewName = 'person' | 'json' | 'quiet'

export type Environment = Readonly<Record<string, string | undefined>>

/** A place to write to. `write` returns once the text has been handed to the system. */
export type Output = {
  readonly isTerminal: boolean
  /** Width in characters; 80 where there is no terminal. */
  readonly columns: () => number
  readonly rows: () => number
  readonly write: (text: string) => void
}

export type Input = {
  /** All of it, as bytes. */
  readonly readAll: () => Promise<Uint8Array>
}

/** The person at the terminal, whatever standard input is joined to. */
export type Keyboard = {
  readonly isThere: () => boolean
  /** Show the question and read one line, without its end; null at the end of input. Ctrl-C ends the client as it ends
   * any program. */
  readonly ask: (question: string) => string | null
}

/** Time that only ever goes forward, in milliseconds from an unsaid start. */
export type Clock = {
  readonly monotonicMs: () => number
  /** Wall-clock time in milliseconds since 1970; for files and comparisons with a server, never for waiting. */
  readonly epochMs: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Calls `tick` now and then every `milliseconds`; returns the end of it. */
  readonly every: (milliseconds: number, tick: () => void) => () => void
}

export type ProgramStart = {
  /** The program and its arguments, exactly. */
  readonly argv: readonly string[]
  /** Where the program is looked for, in PATH's form; null for the system's own folders. */
  readonly searchPath: string | null
  readonly env: Readonly<Record<string, string>>
}

export type Randomness = { readonly newKeyPair: () => KeyPair; readonly newPollVerifier: () => string }

/** What is done when a signal ends the client; what takes longer than about a second is not waited for. */
export type CleanUp = () => void | Promise<void>

/** Everything outside that a command touches, handed in so that a test can stand in for it. */
export type Parts = {
  readonly env: Environment
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly stdin: Input
  readonly keyboard: Keyboard
  readonly stdout: Output
  readonly stderr: Output
  readonly clock: Clock
  readonly exchange: Exchange
  readonly randomness: () => Promise<Randomness>
  readonly openBrowser: (url: string) => void
  /** Becomes the program, or runs it and returns its exit code. */
  readonly startProgram: (start: ProgramStart) => Promise<number>
  /** Runs `cleanUp` when a signal ends the client; returns the way to take it back. */
  readonly atInterrupt: (cleanUp: CleanUp) => () => void
}
