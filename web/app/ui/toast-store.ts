import { failureText } from '../lib/calls/failure.ts'
import { createListeners } from '../lib/page/kept.ts'

/** `isGone`: it only keeps the place of those that are beside it. */
export type Toast = { id: number; text: string; tone: 'plain' | 'problem'; undo?: () => void; isGone?: true }

/** What a toast says, and how to take back what happened. */
export type Remark = Pick<Toast, 'text' | 'undo'> & { tone?: Toast['tone'] }

const MOST = 3

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = createListeners()

export const onToasts = listeners.subscribe
export const currentToasts = (): readonly Toast[] => toasts

function publish(next: readonly Toast[]): void {
  toasts = next
  listeners.notify()
}

/** Tell the person what happened, with a way to take it back where there is one. It takes a free place, or that of the
 * oldest, so that no other moves. */
export function notify(remark: Remark): void {
  const toast = { tone: 'plain', ...remark, id: nextId++ } as const
  const oldest = toasts.toSorted((a, b) => a.id - b.id)[0]
  const before = toasts.find(({ isGone }) => isGone) ?? (toasts.length < MOST ? undefined : oldest)
  publish(before === undefined ? [...toasts, toast] : toasts.map((each) => (each === before ? toast : each)))
}

export function dismiss(id: number): void {
  const next = toasts.map((toast) => (toast.id === id ? { ...toast, isGone: true as const } : toast))
  publish(next.slice(0, next.findLastIndex(({ isGone }) => isGone !== true) + 1))
}

/** Shows what failed, and why: `failing('remove PORT from dev/app')`. */
export function failing(act: string) {
  return (error: Error) => notify({ text: failureText(error, act) ?? '', tone: 'problem' })
}

/** Options of a `mutate` without a form: a toast says what happened, or what failed. */
export function withToast(act: string, text: string, undo?: () => void) {
  const taken = undo === undefined ? {} : { undo }
  return { onSuccess: () => notify({ text, ...taken }), onError: failing(act) }
}
