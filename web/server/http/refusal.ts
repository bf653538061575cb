import type { ErrorCode } from '@keyferry/contract'

/** What a page says when the app cannot. The texts are ours; the only part of a request in it is the path of an
 * address, which the page escapes. */
export type RefusalNote = { title: string; text: string; way: NextStep }

/** How to go on: a link, or a button where something must change. */
type NextStep = { kind: 'link' | 'post'; label: string; path: string }

/** `note`: shown instead to a person who asked for a page. */
type RefusalOptions = ErrorOptions & {
  headers?: Readonly<Record<string, string>>
  details?: Readonly<Record<string, string>>
  note?: RefusalNote
}

/** An error answer that this layer gives itself. `message` is for the caller, `cause` for the log only. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: ErrorCode
  readonly headers: Readonly<Record<string, string>>
  readonly details: Readonly<Record<string, string>> | undefined
  readonly note: RefusalNote | null

  constructor(status: number, code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message, options)
    this.status = status
    this.code = code
    this.headers = options.headers ?? {}
    this.details = options.details
    this.note = options.note ?? null
  }
}

/** Seconds after which a caller may retry when something behind this layer is unavailable. */
const RETRY_AFTER_SECONDS = 2

export function unauthorized(): Refusal {
  return new Refusal(401, 'unauthorized', 'Unauthorized')
}

export function forbidden(message: string, options: RefusalOptions = {}): Refusal {
  return new Refusal(403, 'forbidden', message, options)
}

/** @param what the part that is unavailable, for the caller: `Keyferry API`, `Session store` */
export function unavailable(what: string, cause: unknown): Refusal {
  return new Refusal(503, 'unavailable', `${what} unavailable, try again`, {
    cause,
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    note: {
      title: 'Temporarily unavailable',
      text: `${what} does not answer. Your data is safe. Try again in a moment.`,
      way: { kind: 'link', label: 'Try again', path: '' },
    },
  })
}
