import type { RequestState, StoredRequest } from './stored-request.ts'

/** How long a store remembers the id of a request whose lifetime ended. */
export const EXPIRED_KNOWN_MS = 15 * 60 * 1_000

/** How many requests of one terminal a store lists. */
export const DEVICE_REQUESTS = 32

/** How many requests a store lists that wait for another person of one tenant. */
export const WAITING_REQUESTS = 400

/** `expired`: its lifetime ended at most `EXPIRED_KNOWN_MS` ago. `unknown`: it was delivered or removed, or never
 * existed. */
export type Missing = 'expired' | 'unknown'

/** What a step does with a request. Without `next`, nothing is written. `removed`: the request, its payload and its id
 * go. `payload`: `drop` deletes it, `put` replaces it, `read` gives it to `answer`. */
export type RequestChange<Answer> =
  | { answer: Answer; next?: RequestState | 'removed'; payload?: 'drop' | { put: string } }
  | { answer: (payload: string) => Answer; next: RequestState; payload: 'read' }

/** Decides what becomes of a request, or refuses by an error: then nothing is written. A store may run it more than
 * once, so it makes no secret and reads no clock. */
export type RequestStep<Answer> = (stored: StoredRequest, nowMs: number) => RequestChange<Answer>

/**
 * Keeps approval requests until they are delivered or their lifetime ends, and their payloads apart from them: the box
 * of a deposit, or the ciphertext of what was approved. Times are epoch milliseconds.
 *
 * `change` is atomic over all nodes that share the store. An expired request is gone for every method.
 *
 * Every method throws DomainError unavailable while the store cannot be reached, and works again once it can. A change
 * that failed with it may still have been made.
 */
export interface RequestStore {
  /** @param box of a deposit: a `DepositBox` as JSON
   * @returns the epoch of the store, which changes when a crash loses its requests; null when it has as many live
   *   requests as it may, or as many bytes of boxes */
  insert(stored: StoredRequest, box: string | null, nowMs: number): Promise<string | null>
  /** Whether a crash lost a request of this epoch that is not there. It was neither denied nor withdrawn. */
  isLost(id: string, epoch: string): Promise<boolean>
  /** @param by a stranger's reads have few connections, so that they cannot keep people from theirs */
  read(id: string, nowMs: number, by?: 'person' | 'stranger'): Promise<StoredRequest | Missing>
  /** The box of a deposit, as it was given; null when it is gone: stored, denied, withdrawn or expired. */
  box(id: string, nowMs: number): Promise<string | null>
  /** @throws DomainError not_found · request_expired · what the step throws */
  change<Answer>(id: string, nowMs: number, step: RequestStep<Answer>): Promise<Answer>
  /** Requests that this terminal signed, the newest `DEVICE_REQUESTS`. */
  ofDevice(deviceKey: string, nowMs: number): Promise<StoredRequest[]>
  /** Requests that one person of this tenant supports and that wait for another, the newest `WAITING_REQUESTS`. */
  waitingIn(tenantId: string, nowMs: number): Promise<StoredRequest[]>
  /** Calls `listener` after each change of the request, on whichever node it happened. A call may come without a
   * change, and one may be missed while the store is unreachable: after a call, and at the end of the wait, read the
   * store again.
   * @returns ends the watch */
  watch(id: string, listener: () => void): () => void
  /** @throws DomainError unavailable */
  ping(): Promise<void>
}
