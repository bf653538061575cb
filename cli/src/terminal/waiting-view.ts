/** What a person has to know while a request waits. Nothing in it is a value. */
export type Asked = {
  readonly server: string
  readonly bundle: string | null
  readonly keys: readonly string[]
  /** The command line that will get the values. */
  readonly command: string
  readonly approvalUrl: string
  readonly userCode: string
  readonly lifetimeMs: number
  /** Why no browser was opened; null if one was. */
  readonly whyNotOpened: string | null
  /** Monotonic time at which the request ends. */
  readonly deadlineMs: number
}

/** How waiting looks to whoever reads stderr: a person at a terminal, a log, a machine, or nobody. */
export type WaitingView = {
  readonly asked: (asked: Asked) => void
  readonly trouble: (reason: string) => void
  readonly recovered: () => void
  readonly delivered: (names: readonly string[], missing: readonly string[]) => void
  /** Leave the terminal as it was; may be called at any time, and again. */
  readonly end: () => void
}

/** Minutes and seconds, as a countdown shows them: `4:59`. */
export function remaining(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** What is asked for, in words. */
export function askedFor({ bundle, keys }: Asked): string {
  const from = bundle ?? 'a bundle that the approver picks'
  return keys.length === 0 ? from : `${keys.join(', ')} of ${from}`
}
