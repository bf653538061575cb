const FRAMES = 8

export type FailureFacts = { error: string; code?: unknown; frames: readonly string[] }

/** The parts of a failure that may be logged: its name, its code and where it arose. Its message can contain what a
 * caller sent, so it is left out. */
export function failureFacts(error: unknown): FailureFacts {
  if (!(error instanceof Error)) return { error: typeof error, frames: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    error: error.name,
    ...codeOf(error),
    frames: frames.slice(0, FRAMES).map((line) => line.trim()),
  }
}

// SQLite's own number says more than the code that Node gives all of its errors.
function codeOf(error: Error): { code?: unknown } {
  if ('errcode' in error) return { code: error.errcode }
  return 'code' in error ? { code: error.code } : {}
}
