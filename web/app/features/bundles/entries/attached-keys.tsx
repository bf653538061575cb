import { useMemo, useRef, useState } from 'react'
import type { BundleItem } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-answer.ts'
import {
  useAttachKey,
  useDetachKey,
  useReorderKey,
  useRequireKey,
  useSharedKeys,
} from '../../../lib/data/attachments.ts'
import { matches } from '../../../lib/page/search.ts'
import { useSelection } from '../../../lib/page/use-selection.ts'
import { notifyFailure as onError } from '../../../ui/notify-failure.ts'
import { SearchField } from '../../../ui/search-field.tsx'
import { SelectedKeys } from '../../../ui/selection/selected-keys.tsx'
import { notify } from '../../../ui/toast-store.ts'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { AttachedKeyRow } from './attached-key-row.tsx'
import { useDragOrder } from './use-drag-order.ts'

const FILTER_FROM = 12
const ROW_HEIGHT_PX = 53

type AttachedKeysProps = {
  bundle: { id: string; name: string }
  items: readonly BundleItem[]
  canEdit: boolean
  onChange: (item: BundleItem) => void
}

/** The bundle's keys in their order; an editor moves them by dragging or by the arrow keys while all are shown. */
export function AttachedKeys({ bundle, items, canEdit, onChange }: AttachedKeysProps) {
  const bundleId = bundle.id
  const list = useRef<HTMLUListElement>(null)
  const [query, setQuery] = useState('')
  const [spoken, setSpoken] = useState('')
  const { move, require, detach } = useAttachedKeyChanges(bundleId, items, setSpoken)
  const shared = useSharedKeys(bundleId)
  const byId = useMemo(() => new Map(items.map((item) => [item.id ?? '', item])), [items])
  const ids = useMemo(() => [...byId.keys()], [byId])
  const { draggedId, order, start } = useDragOrder(ids, list, (id, to) => move(id, to, true))
  const shown = query === '' ? order : order.filter((id) => matches(namesOf(byId.get(id)), query))
  const selection = useSelection(ids, shown)
  const render = (id: string, index: number) => {
    const item = byId.get(id)
    if (item === undefined) return null
    return (
      <AttachedKeyRow
        href={`/keys/${id}?bundle=${bundleId}`}
        id={id}
        item={item}
        shared={shared.get(id)}
        onChange={() => onChange(item)}
        canEdit={canEdit}
        canMove={canEdit && query === ''}
        dragged={id === draggedId}
        selected={selection.chosen.has(id)}
        onTick={(isRange) => selection.tick(id, isRange)}
        onDragStart={(event) => start(id, event)}
        onStep={(step) => {
          const to = index + step
          if (to >= 0 && to < order.length) move(id, to, false)
        }}
        onRequire={(required) => require(id, required)}
        onDetach={() => detach(id)}
      />
    )
  }
  return (
    <>
      {items.length >= FILTER_FROM && (
        <SearchField label="Filter keys" value={query} onChange={setQuery} className="mb-3" />
      )}
      {shown.length === 0 && <p className="py-3 text-ink-soft">No key of this bundle matches.</p>}
      {canEdit && <SelectedEntries bundle={bundle} selection={selection} shown={shown} />}
      <VirtualList
        label="Keys"
        items={shown}
        keyOf={(id) => id}
        rowHeight={ROW_HEIGHT_PX}
        render={render}
        listRef={list}
      />
      <p className="sr-only" aria-live="polite">
        {spoken}
      </p>
    </>
  )
}

type SelectedEntriesProps = {
  bundle: AttachedKeysProps['bundle']
  selection: ReturnType<typeof useSelection>
  shown: readonly string[]
}

// Who created a key decides what a member may do with it, and only the library says it.
function SelectedEntries(props: SelectedEntriesProps) {
  const library = useAnswer('listKeys', {}, { enabled: props.selection.chosen.size > 0 }).data
  return <SelectedKeys {...props} library={library} />
}

function useAttachedKeyChanges(
  bundleId: string,
  items: readonly BundleItem[],
  speak: (text: string) => void,
) {
  const reorder = useReorderKey(bundleId)
  const requireKey = useRequireKey(bundleId)
  const detachKey = useDetachKey(bundleId)
  const attachKey = useAttachKey(bundleId)
  const find = (id: string) => items.find((item) => item.id === id)
  const move = (id: string, to: number, undoable: boolean) => {
    const from = find(id)?.order ?? to
    const name = find(id)?.name ?? ''
    reorder.mutate({ key_id: id, order: to }, { onError })
    speak(`${name} is now number ${to + 1} of ${items.length}.`)
    keepFocus(`move-${id}`)
    const undo = () => reorder.mutate({ key_id: id, order: from }, { onError })
    if (undoable) notify({ text: `Moved ${name}.`, undo })
  }
  const require = (id: string, required: boolean) => requireKey.mutate({ key_id: id, required }, { onError })
  const detach = (id: string) => {
    const { name = '', order, required = false } = find(id) ?? {}
    const attachment = { key_id: id, as: name, required, order: order ?? 0 }
    const undo = () => attachKey.mutate(attachment, { onError })
    const onSuccess = () => notify({ text: `Detached ${name}. It stays in the library.`, undo })
    detachKey.mutate({ key_id: id }, { onError, onSuccess })
  }
  return { move, require, detach }
}

function namesOf(item: BundleItem | undefined): string {
  return `${item?.name ?? ''} ${item?.key_name ?? ''}`
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
