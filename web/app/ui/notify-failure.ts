import { describeFailure } from '../lib/failure.ts'
import { notify } from './toast-store.ts'

/** Tell the person why something failed. */
export function notifyFailure(error: unknown): void {
  notify({ text: describeFailure(error).message, tone: 'danger' })
}
