import { describeFailure } from '../lib/calls/failure.ts'
import { createListeners } from '../lib/page/kept.ts'

export type Toast = { id: number; text: string; tone: 'plain' | 'danger'; undo?: () => void }

/** What a toast says, and how to take back what happened. */
export type Remark = Pick<Toast, 'text' | 'undo'> & { tone?: Toast['tone'] }

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = createListeners()

export const onToasts = listeners.subscribe
export const currentToasts = (): readonly Toast[] => toasts

function publish(next: readonly Toast[]): void {
  toasts = next
  listeners.notify()
}

/** Tell the person what happened, with a way to take it back where there is one. */
export function notify(remark: Remark): void {
  publish([...toasts.slice(-2), { tone: 'plain', ...remark, id: nextId++ }])
}

export function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

/** Tell the person why something failed. */
export function notifyFailure(error: unknown): void {
  notify({ text: describeFailure(error).message, tone: 'danger' })
}

/** Options of a `mutate` without a form: a toast says what happened, or why it failed. */
export function withToast<Answer>(textOf: string | ((answer: Answer) => string), undo?: () => void) {
  const taken = undo === undefined ? {} : { undo }
  return {
    onSuccess: (answer: Answer) =>
      notify({ text: typeof textOf === 'string' ? textOf : textOf(answer), ...taken }),
    onError: notifyFailure,
  }
}
