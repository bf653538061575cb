import { describeFailure } from '../lib/calls/failure.ts'
import { notify } from './toast-store.ts'

/** Tell the person why something failed. */
export function notifyFailure(error: unknown): void {
  notify({ text: describeFailure(error).message, tone: 'danger' })
}

/** Options of a `mutate` without a form: a toast says what happened, or why it failed. */
export function telling<Answer>(textOf: string | ((answer: Answer) => string), undo?: () => void) {
  const taken = undo === undefined ? {} : { undo }
  return {
    onSuccess: (answer: Answer) =>
      notify({ text: typeof textOf === 'string' ? textOf : textOf(answer), ...taken }),
    onError: notifyFailure,
  }
}
