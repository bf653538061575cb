import type { BundleItem } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { isOvertaken } from '../../../lib/calls/failure.ts'
import { useChange } from '../../../lib/calls/use-call.ts'
import { useDetachKey, useReorderKey, useReplaceKey, useRequireKey } from '../../../lib/data/attachments.ts'
import { useMay } from '../../../lib/data/me.ts'
import { changedText } from '../../../lib/words/last-change.ts'
import { notify, notifyFailure as onError } from '../../../ui/toast-store.ts'

/** What a person may do with the variables of a bundle in one step, each with a way to take it back.
 * @param speak tells screen readers where a moved row is */
export function useEntryChanges(
  bundle: { id: string; name: string },
  items: readonly BundleItem[],
  speak: (text: string) => void,
) {
  const reorder = useReorderKey(bundle.id)
  const requireKey = useRequireKey(bundle.id)
  const detachKey = useDetachKey(bundle.id)
  const attachKey = useChange('attachKey', { bundle_id: bundle.id })
  const splitKey = useChange('splitKey', { bundle_id: bundle.id })
  const replace = useReplaceKey(bundle.id)
  const find = (id: string) => items.find((item) => item.id === id)
  const nameOf = (id: string) => find(id)?.name ?? ''
  const mayReadLog = useMay()('listAudit')
  const onMoveFailed = (error: Error) =>
    mayReadLog && isOvertaken(error) ? void announceOrderChange(bundle.id, error) : onError(error)
  const move = (id: string, to: number, undoable: boolean) => {
    const from = find(id)?.order ?? to
    const place = (order: number, seen: number) =>
      reorder.mutate({ key_id: id, order, expected: { order: seen } }, { onError: onMoveFailed })
    place(to, from)
    speak(`${nameOf(id)} is now number ${to + 1} of ${items.length}.`)
    keepFocus(`row-${id}`)
    if (undoable) notify({ text: `Moved ${nameOf(id)}.`, undo: () => place(from, to) })
  }
  const require = (id: string, required: boolean) => requireKey.mutate({ key_id: id, required }, { onError })
  const detach = (id: string) => {
    const { name = '', order, required = false } = find(id) ?? {}
    const attachment = { key_id: id, as: name, required, order: order ?? 0 }
    const undo = () => attachKey.mutate(attachment, { onError })
    const onSuccess = ({ may_show }: { may_show: boolean }) =>
      notify({ text: `Detached ${name}. It stays in the library.`, ...(may_show ? { undo } : {}) })
    detachKey.mutate({ key_id: id }, { onError, onSuccess })
  }
  const split = (id: string) => {
    const text = `${bundle.name} has its own ${nameOf(id)}, with the same value.`
    const onSuccess = (copy: { id: string }) =>
      notify({ text, undo: () => replace.mutate({ from: copy.id, to: id }, { onError }) })
    splitKey.mutate({ key_id: id }, { onError, onSuccess })
  }
  return { move, require, detach, split }
}

// The refusal names neither the person nor the time; the log does.
async function announceOrderChange(target: string, error: Error): Promise<void> {
  try {
    const [last] = await call('listAudit', { target, action: 'bundle.reordered', limit: 1 })
    const text = `${changedText(last, 'the order')}, after you opened this. The page now shows what is stored.`
    notify({ text, tone: 'danger' })
  } catch {
    onError(error)
  }
}

// A row that changes places is taken out of the document for a moment and loses the focus; one that left the view would
// be taken out for good.
function keepFocus(elementId: string): void {
  if (document.activeElement?.id !== elementId) return
  const follow = () => {
    const element = document.getElementById(elementId)
    element?.focus()
    element?.scrollIntoView({ block: 'nearest' })
  }
  requestAnimationFrame(() => requestAnimationFrame(follow))
}
