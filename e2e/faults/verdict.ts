/** What one kind of fault led to, in a line. */
export type Verdict = { readonly what: string; readonly seen: string; readonly isWell: boolean }

/** What is wrong with the answers of a server that lost something it needs; empty if each is a clear 503 in time. */
export function unclearAnswers(
  answers: readonly { status: number; isWellFormedError: boolean; ms: number }[],
  withinMs: number,
): string[] {
  return answers
    .filter(({ status, isWellFormedError, ms }) => status !== 503 || !isWellFormedError || ms > withinMs)
    .map(({ status, ms }) => `answer ${status} after ${Math.round(ms)} ms`)
}

/** A list of faults in a few words. */
export function firstOf(faults: readonly string[]): string {
  return faults.length === 0 ? 'no faults' : `${faults.length} FAULTS, first: ${faults[0]}`
}
