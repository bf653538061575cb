/** One answer as a stranger sees it. */
export type TimedAnswer = {
  /** 0: no answer at all. */
  readonly status: number
  readonly retryAfter: string | null
  /** Whether its body is what an answer of failure has to be: `{error, code}`. */
  readonly isWellFormedError: boolean
  readonly ms: number
}

const GIVE_UP_MS = 31_000

/** Make a call and look at its answer as it came. */
export async function timedAnswer(url: string, init: RequestInit = {}): Promise<TimedAnswer> {
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(GIVE_UP_MS)
  const answer = await fetch(url, { ...init, signal }).catch(() => null)
  const text = answer ? await answer.text().catch(() => '') : ''
  return {
    status: answer?.status ?? 0,
    retryAfter: answer?.headers.get('retry-after') ?? null,
    isWellFormedError: isErrorBody(text),
    ms: performance.now() - startedAt,
  }
}

/** A call with a JSON body. */
export function posting(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

export function isErrorBody(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'error' in body && 'code' in body
  } catch {
    return false
  }
}
