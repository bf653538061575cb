import type { ErrorCode } from '@keyferry/contract'

type ErrorExtras = ErrorOptions & {
  /** Travels in the error body. */
  details?: Readonly<Record<string, unknown>>
  /** Whole seconds after which a call may be made again. */
  retryAfterSeconds?: number
}

/** The error of a refused call. The caller gets `message` and `details`; `cause` goes to the log only. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { details, retryAfterSeconds, ...options }: ErrorExtras = {},
  ) {
    super(message, options)
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Names as a message has them, at most so many. */
export function listed(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return names.slice(0, most).join(', ') + more
}

/** For a store that does not answer; the caller may try again in a second. */
export function unavailable(what: string, cause?: unknown): DomainError {
  return new DomainError('unavailable', `${what} is unavailable`, { cause, retryAfterSeconds: 1 })
}

/** What this call has just written, read again. If the read does not find it, the database lost the commit, as when a
 * standby that lagged takes over: the caller must try again, and not take it for deleted.
 * @throws DomainError unavailable */
export async function readBack<T>(read: Promise<T>): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') throw unavailable('database', error)
    throw error
  }
}
