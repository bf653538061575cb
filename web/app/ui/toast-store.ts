export type Toast = { id: number; text: string; tone: 'plain' | 'danger'; undo?: () => void }

/** What a toast says, and how to take back what happened. */
export type Remark = Pick<Toast, 'text' | 'undo'> & { tone?: Toast['tone'] }

type Listener = (toasts: readonly Toast[]) => void

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<Listener>()

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener(toasts)
}

/** Tell the person what happened, with a way to take it back where there is one. */
export function notify(remark: Remark): void {
  publish([...toasts.slice(-2), { tone: 'plain', ...remark, id: nextId++ }])
}

export function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

/** @returns a function that ends the subscription */
export function onToasts(listener: Listener): () => void {
  listeners.add(listener)
  listener(toasts)
  return () => listeners.delete(listener)
}
