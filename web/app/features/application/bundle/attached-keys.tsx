import { isProduction } from '@keyferry/contract/production'
import { useMemo, useRef, useState } from 'react'
import type { BundleItem, BundleWithItems } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-call.ts'
import { useSharedKeys } from '../../../lib/data/attachments.ts'
import { useMay } from '../../../lib/data/me.ts'
import { matches } from '../../../lib/page/search.ts'
import { useSelection } from '../../../lib/page/selection.ts'
import { ConfirmDialog } from '../../../ui/confirm-change.tsx'
import { SelectedKeys } from '../../../ui/selection/selected-keys.tsx'
import { CrossingNotice } from '../../../ui/stricter-notice.tsx'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { OtherKeyDialog, RenameEntryDialog } from '../cells/entry-dialogs.tsx'
import { AttachedKeyRow, type EntryActions } from './attached-key-row.tsx'
import { useDragOrder } from './use-drag-order.ts'
import { useEntryChanges } from './use-entry-changes.ts'

type AttachedKeysProps = {
  bundle: BundleWithItems
  items: readonly BundleItem[]
  /** What the filter of the page asks for. */
  query: string
}

type EntryQuestion = { item: BundleItem; what: Parameters<EntryActions['ask']>[1] }

/** The bundle's variables in their order; an editor moves them by dragging or by keys while all are shown. */
export function AttachedKeys({ bundle, items, query }: AttachedKeysProps) {
  const list = useRef<HTMLUListElement>(null)
  const may = useMay()
  const canEdit = bundle.may_edit
  const [spoken, setSpoken] = useState('')
  const [asked, setAsked] = useState<EntryQuestion | null>(null)
  const { move, require, detach, split } = useEntryChanges(bundle, items, setSpoken)
  const shared = useSharedKeys(bundle.id)
  const crossing = items.map(({ id, name }) => ({ name, ...shared.get(id ?? '') }))
  const byId = useMemo(() => new Map(items.map((item) => [item.id ?? '', item])), [items])
  const ids = useMemo(() => [...byId.keys()], [byId])
  const { draggedId, order, start } = useDragOrder(ids, list, (id, to) => move(id, to, true))
  const shown = query === '' ? order : order.filter((id) => matches(namesOf(byId.get(id)), query))
  const selection = useSelection(ids, shown)
  // Only `listKeys` answers what a member may do, so load it at the first selection.
  const library = useAnswer('listKeys', {}, { enabled: selection.chosen.size > 0 }).data
  const actions: EntryActions = {
    tick: selection.tick,
    drag: start,
    move: (id, step) => {
      const to = order.indexOf(id) + step
      if (to >= 0 && to < order.length) move(id, to, false)
    },
    require,
    ask: (item, what) =>
      what === 'detach' && !isProduction(bundle) ? detach(item.id ?? '') : setAsked({ item, what }),
    split: may('splitKey') ? split : undefined,
  }
  return (
    <>
      {shown.length === 0 && <p className="py-3 text-ink-soft">No variable of this bundle matches.</p>}
      <CrossingNotice of={crossing} className="mb-3">
        {may('splitKey') && 'To separate them, choose “Stop sharing: own copy”, then change one value.'}
      </CrossingNotice>
      {canEdit && <SelectedKeys {...{ bundle, selection, shown, library }} />}
      <VirtualList
        label="Variables"
        items={shown}
        keyOf={(id) => id}
        rowHeight={49}
        render={(id) => {
          const item = byId.get(id)
          return (
            item && (
              <AttachedKeyRow
                {...{ id, item, bundle, canEdit, actions }}
                shared={shared.get(id)}
                canMove={canEdit && query === ''}
                dragged={id === draggedId}
                selected={selection.chosen.has(id)}
              />
            )
          )
        }}
        listRef={list}
      />
      <p className="sr-only" aria-live="polite">
        {spoken}
      </p>
      {asked !== null && (
        <EntryDialog
          {...{ bundle, ...asked }}
          item={byId.get(asked.item.id ?? '') ?? asked.item}
          onDetach={detach}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

type RowDialogProps = EntryQuestion & {
  bundle: BundleWithItems
  onDetach: (id: string) => void
  onClose: () => void
}

function EntryDialog({ bundle, item, what, onDetach, onClose }: RowDialogProps) {
  if (what === 'rename') return <RenameEntryDialog bundle={bundle} item={item} onClose={onClose} />
  if (what === 'replace') return <OtherKeyDialog bundle={bundle} item={item} onClose={onClose} />
  const confirm = () => {
    onClose()
    onDetach(item.id ?? '')
  }
  return (
    <ConfirmDialog
      title={`Detach ${item.name} from production?`}
      action="Detach"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Programs that start with {bundle.name} do not get {item.name} any more. The key stays in the library,
        and you can undo this.
      </p>
    </ConfirmDialog>
  )
}

function namesOf(item: BundleItem | undefined): string {
  return `${item?.name ?? ''} ${item?.key_name ?? ''}`
}
