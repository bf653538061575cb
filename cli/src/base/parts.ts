import type { Transform } from 'node:stream'
import type { KeyPair } from '@keyferry/crypto/key-pair'
import type { Exchange } from './exchange.ts'

/** Delivered values by name, in the order of the delivery. */
export type Values = ReadonlyMap<string, string>

export type Environment = Readonly<Record<string, string | undefined>>

/** An output stream. `write` returns when the system has accepted the text. */
export type Output = {
  readonly isTerminal: boolean
  /** Width in characters; 80 without a terminal. */
  readonly columns: () => number
  readonly rows: () => number
  readonly write: (text: string) => void
}

export type Input = {
  readonly readAll: () => Promise<Uint8Array>
}

/** The person at the terminal, even if standard input is redirected. */
export type Keyboard = {
  readonly isThere: () => boolean
  /** Show the question and read one line, without its end; null at the end of input. Ctrl-C ends the client
   * as usual. */
  readonly ask: (question: string) => string | null
  /** As `ask`, but shows nothing of what is typed. */
  readonly askHidden: (question: string) => Promise<string | null>
  /** As `ask`, but waits without blocking, until `ended`. Reads the terminal itself, never standard input; null
   * without a terminal too. */
  readonly askUntil: (question: string, ended: AbortSignal) => Promise<string | null>
}

/** `monotonicMs` never goes backward and counts milliseconds from an arbitrary start. */
export type Clock = {
  readonly monotonicMs: () => number
  /** Wall-clock time in milliseconds since 1970; for files and for comparing with a server, not for waiting. */
  readonly epochMs: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Calls `tick` every `milliseconds`; returns a function that stops it. */
  readonly every: (milliseconds: number, tick: () => void) => () => void
}

export type ProgramStart = {
  /** The program and its arguments, exactly. */
  readonly argv: readonly string[]
  /** Where to look for the program, in the form of PATH; null: the system's folders. */
  readonly searchPath: string | null
  readonly env: Readonly<Record<string, string>>
  /** What the program's output passes through; null: the program writes to our output itself. */
  readonly filters: Readonly<Record<'stdout' | 'stderr', Transform | null>>
  /** The client stays as the parent of the program, because it cleans up when the program ends. */
  readonly isParentNeeded?: true
}

/** A program that this client runs as its child, and can restart. */
export type SupervisedProgram = {
  /** Its exit code, once it has ended by itself or by a signal to this client. Rejects with a CliError 126 · 127. */
  readonly ended: Promise<number>
  /** End the program and its descendants by SIGTERM, after 10 s by SIGKILL, and start it again. `over`: this
   * client got a signal, so the program was not started.
   * @throws CliError general: it cannot be started with this environment, and runs on · 126 · 127: it ended, and could
   *   not be started; it can be restarted later */
  readonly restart: (start: ProgramStart) => Promise<'restarted' | 'killed' | 'over'>
}

export type Randomness = { readonly newKeyPair: () => KeyPair; readonly newPollVerifier: () => string }

/** Runs when a signal ends the client; must not take longer than about a second. */
export type CleanUp = () => void | Promise<void>

/** Everything outside the program that a command uses; tests pass their own. */
export type Parts = {
  readonly env: Environment
  readonly cwd: string
  readonly platform: NodeJS.Platform
  readonly stdin: Input
  readonly keyboard: Keyboard
  readonly stdout: Output
  readonly stderr: Output
  /** Who reads the progress on stderr: a person, or a program (`json`). `quiet` prints only what is needed. */
  readonly view: 'person' | 'json' | 'quiet'
  readonly clock: Clock
  readonly exchange: Exchange
  readonly randomness: () => Promise<Randomness>
  readonly openBrowser: (url: string) => void
  /** Becomes the program, or runs it and returns its exit code. */
  readonly startProgram: (start: ProgramStart) => Promise<number>
  /** Runs the program as a child that can be restarted.
   * @throws CliError 126 · 127 · general */
  readonly superviseProgram: (start: ProgramStart) => Promise<SupervisedProgram>
  /** Runs `child`, which alone handles Ctrl-C and Ctrl-\ until it ends. */
  readonly leaveKeysTo: <T>(child: () => Promise<T>) => Promise<T>
  /** Runs `cleanUp` when a signal ends the client; returns a function that cancels this. */
  readonly atInterrupt: (cleanUp: CleanUp) => () => void
}
