import { type PointerEvent, useState } from 'react'
import { Link } from 'wouter'
import type { BundleItem, SharedKey } from '../../../lib/calls/answers.ts'
import { sharedText } from '../../../lib/data/attachments.ts'
import { builtFrom } from '../../../lib/rules/templates.ts'
import { Badge } from '../../../ui/badge.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { EntryName } from '../../../ui/entry-name.tsx'
import {
  ArrowDown,
  ArrowUp,
  Asterisk,
  GripVertical,
  Pencil,
  Replace,
  Split,
  Tag,
  Unlink,
} from '../../../ui/icons.ts'
import { KeyValue } from '../../../ui/key-value.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { rowKeys } from '../../../ui/row-keys.ts'
import { RowCheckbox } from '../../../ui/selection/row-checkbox.tsx'
import { ValueEditor } from './value-editor.tsx'

/** What a person may do with the variables of a bundle, each named by the id of its key. */
export type EntryActions = {
  tick: (id: string, isRange: boolean) => void
  drag: (id: string, event: PointerEvent) => void
  move: (id: string, step: 1 | -1) => void
  require: (id: string, required: boolean) => void
  ask: (item: BundleItem, what: 'rename' | 'replace' | 'detach') => void
  /** Undefined where the person may not. */
  split: ((id: string) => void) | undefined
}

type AttachedKeyRowProps = {
  id: string
  bundle: { id: string; name: string }
  item: BundleItem
  /** Undefined for a key that only this bundle uses. */
  shared: SharedKey | undefined
  canEdit: boolean
  canMove: boolean
  dragged: boolean
  selected: boolean
  actions: EntryActions
}

/** One variable of a bundle: its name and its value, which is edited in its place. Its link is the row's only tab stop
 * (row-keys.ts); what else there is to do is in its menu. */
export function AttachedKeyRow(props: AttachedKeyRowProps) {
  const { id, bundle, item, shared, canEdit, canMove, dragged, selected, actions } = props
  const [isEditing, setEditing] = useState(false)
  const isComposed = item.template_parts !== undefined
  const onEdit = canEdit && !isComposed ? () => setEditing(true) : undefined
  const tick = (isRange: boolean) => actions.tick(id, isRange)
  const close = () => {
    setEditing(false)
    document.getElementById(`row-${id}`)?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls in the row
    <div
      data-id={id}
      onKeyDown={(event) =>
        rowKeys(event, {
          ...(onEdit && { onEdit }),
          ...(canEdit && { onTick: tick }),
          ...(canMove && { onMove: (step) => actions.move(id, step) }),
        })
      }
      className={classNames(
        'group flex items-center gap-x-2 rounded-lg py-0.5 pr-2',
        !canEdit && 'min-h-11 pl-4',
        selected && 'bg-accent-soft',
        dragged && 'relative z-10 bg-accent-soft shadow-card',
      )}
    >
      {canEdit && <RowCheckbox name={item.name} checked={selected} onTick={tick} tabIndex={-1} />}
      {canMove && (
        <span className="-ml-2 max-sm:hidden">
          <IconButton
            tabIndex={-1}
            label={`Drag ${item.name}`}
            onPointerDown={(event) => actions.drag(id, event)}
            className="cursor-grab touch-none active:cursor-grabbing"
            icon={GripVertical}
          />
        </span>
      )}
      <div className="min-w-0 flex-1 items-center gap-x-4 sm:flex">
        <div className="min-w-0 sm:flex-1">
          <Link
            id={`row-${id}`}
            href={`/keys/${id}?bundle=${bundle.id}`}
            className="font-mono text-sm font-medium [overflow-wrap:anywhere] hover:underline"
          >
            <EntryName name={item.name} />
          </Link>
          {item.required && (
            <span className="ml-2">
              <Badge>Required</Badge>
            </span>
          )}
          <EntryFacts item={item} shared={shared} />
        </div>
        <div className="flex min-w-0 sm:flex-1">
          {isEditing ? (
            <ValueEditor bundle={bundle} item={item} onClose={close} />
          ) : onEdit === undefined ? (
            <KeyValue value={item.value} isSecret={item.is_secret} />
          ) : (
            <button
              type="button"
              tabIndex={-1}
              onClick={onEdit}
              className="flex min-h-8 min-w-0 items-center rounded-md border border-transparent text-left hover:border-edge sm:px-2"
            >
              <span className="sr-only">Edit the value of {item.name}: </span>
              <KeyValue value={item.value} isSecret={item.is_secret} />
            </button>
          )}
        </div>
      </div>
      {canEdit && <Menu label={`More for ${item.name}`} tabIndex={-1} items={menuOf(props, onEdit)} />}
    </div>
  )
}

function menuOf(
  { id, item, shared, canMove, actions }: AttachedKeyRowProps,
  onEdit?: () => void,
): MenuItem[] {
  const { split, move, ask } = actions
  const mayDetach = shared?.may_detach !== false
  return [
    ...(onEdit ? [{ label: 'Edit value', icon: Pencil, onPick: onEdit }] : []),
    ...(split && shared ? [{ label: 'Stop sharing: own copy', icon: Split, onPick: () => split(id) }] : []),
    { label: 'Rename', icon: Tag, onPick: () => ask(item, 'rename') },
    ...(mayDetach ? [{ label: 'Use another key', icon: Replace, onPick: () => ask(item, 'replace') }] : []),
    {
      label: item.required ? 'Not required' : 'Required',
      icon: Asterisk,
      onPick: () => actions.require(id, !item.required),
    },
    ...(canMove
      ? [
          { label: 'Move up', icon: ArrowUp, onPick: () => move(id, -1) },
          { label: 'Move down', icon: ArrowDown, onPick: () => move(id, 1) },
        ]
      : []),
    ...(mayDetach ? [{ label: 'Detach', icon: Unlink, gap: true, onPick: () => ask(item, 'detach') }] : []),
  ]
}

function EntryFacts({ item, shared }: { item: BundleItem; shared: SharedKey | undefined }) {
  const facts = [
    shared === undefined ? '' : `shared with ${sharedText(shared)}`,
    item.template_parts === undefined ? '' : builtFrom(item.template_parts),
    item.description ?? '',
  ].filter((fact) => fact !== '')
  const missing = item.missing_parts ?? []
  return (
    <>
      {facts.length > 0 && <p className="line-clamp-1 text-xs text-ink-soft">{facts.join(' · ')}</p>}
      {missing.length > 0 && (
        <p className="text-xs text-danger [overflow-wrap:anywhere]">
          Cannot be delivered: this bundle does not deliver {missing.join(', ')} as an ordinary value.
        </p>
      )}
    </>
  )
}
