import { useRef, useState } from 'react'
import type { BundleItem } from '../../lib/answers.ts'
import { useAttachKeys, useDetachKey, useReorderKey, useRequireKey } from '../../lib/attachments.ts'
import { describeFailure } from '../../lib/failure.ts'
import { notify } from '../../ui/toast-store.ts'
import { AttachedKeyRow } from './attached-key-row.tsx'
import { useDragOrder } from './use-drag-order.ts'

type AttachedKeysProps = { bundleId: string; items: readonly BundleItem[]; isOwner: boolean }

const onError = (error: unknown) => notify({ text: describeFailure(error).message, tone: 'danger' })

/** The bundle's keys in their order; an owner moves them by dragging or by the arrow keys. */
export function AttachedKeys({ bundleId, items, isOwner }: AttachedKeysProps) {
  const list = useRef<HTMLOListElement>(null)
  const [spoken, setSpoken] = useState('')
  const { move, require, detach } = useAttachedKeyChanges(bundleId, items, setSpoken)
  const ids = items.flatMap(({ id }) => (id === null ? [] : [id]))
  const byId = new Map(items.map((item) => [item.id, item]))
  const { draggedId, order, start } = useDragOrder(ids, list, (id, to) => move(id, to, true))
  return (
    <>
      <ol ref={list} className="divide-y divide-line rounded-lg border border-line bg-surface">
        {order.map((id, index) => {
          const item = byId.get(id)
          if (item === undefined) return null
          return (
            <AttachedKeyRow
              key={id}
              id={id}
              item={item}
              isOwner={isOwner}
              dragged={id === draggedId}
              onDragStart={(event) => start(id, event)}
              onStep={(step) => {
                const to = index + step
                if (to >= 0 && to < order.length) move(id, to, false)
              }}
              onRequire={(required) => require(id, required)}
              onDetach={() => detach(id)}
            />
          )
        })}
      </ol>
      <p className="sr-only" aria-live="polite">
        {spoken}
      </p>
    </>
  )
}

function useAttachedKeyChanges(
  bundleId: string,
  items: readonly BundleItem[],
  speak: (text: string) => void,
) {
  const reorder = useReorderKey(bundleId)
  const requireKey = useRequireKey(bundleId)
  const detachKey = useDetachKey(bundleId)
  const attachKeys = useAttachKeys(bundleId)
  const find = (id: string) => items.find((item) => item.id === id)
  const move = (id: string, to: number, undoable: boolean) => {
    const from = find(id)?.order ?? to
    const name = find(id)?.name ?? ''
    reorder.mutate({ keyId: id, order: to }, { onError })
    speak(`${name} is now number ${to + 1} of ${items.length}.`)
    keepFocus(`move-${id}`)
    const undo = () => reorder.mutate({ keyId: id, order: from }, { onError })
    if (undoable) notify({ text: `Moved ${name}.`, undo })
  }
  const require = (id: string, required: boolean) => requireKey.mutate({ keyId: id, required }, { onError })
  const detach = (id: string) => {
    const { name = '', order, required = false } = find(id) ?? {}
    const undo = () => attachKeys.mutate([{ keyId: id, required, order: order ?? 0 }], { onError })
    const onSuccess = () => notify({ text: `Detached ${name}. It stays in the library.`, undo })
    detachKey.mutate(id, { onError, onSuccess })
  }
  return { move, require, detach }
}

// A row that changes places is taken out of the document for a moment and loses the focus.
function keepFocus(elementId: string): void {
  if (document.activeElement?.id !== elementId) return
  requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(elementId)?.focus()))
}
