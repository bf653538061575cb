import { GripVertical, SlidersHorizontal, Unlink } from 'lucide-react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { Link } from 'wouter'
import type { BundleItem, SharedKey } from '../../../lib/calls/answers.ts'
import { sharedText } from '../../../lib/data/attachments.ts'
import { builtFrom } from '../../../lib/rules/templates.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { EntryName } from '../../../ui/entry-name.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { KeyValue } from '../../../ui/key-value.tsx'
import { RowCheckbox } from '../../../ui/selection/row-checkbox.tsx'

type AttachedKeyRowProps = {
  id: string
  /** The key's page. */
  href: string
  item: BundleItem
  /** Undefined for a key that only this bundle uses. */
  shared: SharedKey | undefined
  canEdit: boolean
  canMove: boolean
  dragged: boolean
  selected: boolean
  onTick: (isRange: boolean) => void
  onDragStart: (event: PointerEvent) => void
  onStep: (step: 1 | -1) => void
  onRequire: (required: boolean) => void
  onDetach: () => void
  onChange: () => void
}

/** One attached key, with its handle, its required flag and the way to detach it for those who may edit the bundle. */
export function AttachedKeyRow({
  id,
  href,
  item,
  shared,
  canEdit,
  canMove,
  dragged,
  selected,
  onTick,
  ...changes
}: AttachedKeyRowProps) {
  return (
    <div
      data-id={id}
      className={classNames(
        'flex flex-wrap items-center gap-x-2 gap-y-1 rounded-lg py-2 pr-2',
        !canEdit && 'min-h-13 pl-4',
        selected && 'bg-accent-soft',
        dragged && 'relative z-10 bg-accent-soft shadow-raised',
      )}
    >
      {canEdit && <RowCheckbox name={item.name} checked={selected} onTick={onTick} />}
      {canMove && (
        <MoveHandle id={id} name={item.name} onDragStart={changes.onDragStart} onStep={changes.onStep} />
      )}
      <div className="min-w-0 flex-1 basis-28">
        <Link href={href} className="font-mono text-sm font-medium [overflow-wrap:anywhere] hover:underline">
          <EntryName name={item.name} />
        </Link>
        <EntryFacts item={item} shared={shared} />
      </div>
      <KeyValue value={item.value} isSecret={item.is_secret} className="max-w-48 sm:max-w-72" />
      {canEdit ? (
        <div
          className={classNames(
            'flex basis-full items-center justify-between sm:basis-auto sm:pl-2',
            canMove ? 'pl-23' : 'pl-12',
          )}
        >
          <Checkbox
            className="inline-flex min-h-9 items-center gap-2 text-sm text-ink-soft sm:mr-3"
            checked={item.required}
            aria-label={`Required: ${item.name}`}
            onChange={(checked) => changes.onRequire(checked)}
            label="Required"
          />
          <span className="flex">
            <IconButton
              label={`Change ${item.name} in this bundle`}
              onClick={changes.onChange}
              icon={SlidersHorizontal}
            />
            <IconButton label={`Detach ${item.name}`} onClick={changes.onDetach} icon={Unlink} />
          </span>
        </div>
      ) : (
        item.required && <Badge tone="caution">Required</Badge>
      )}
    </div>
  )
}

function EntryFacts({ item, shared }: { item: BundleItem; shared: SharedKey | undefined }) {
  const facts = [
    item.key_name === item.name ? '' : `key ${item.key_name}`,
    shared === undefined ? '' : `shared with ${sharedText(shared)}`,
    item.template_parts === undefined ? '' : builtFrom(item.template_parts),
    item.description ?? '',
  ].filter((fact) => fact !== '')
  const missing = item.missing_parts ?? []
  return (
    <>
      {facts.length > 0 && <p className="line-clamp-2 text-xs text-ink-soft">{facts.join(' · ')}</p>}
      {missing.length > 0 && (
        <p className="text-xs text-danger [overflow-wrap:anywhere]">
          Cannot be delivered: this bundle does not deliver {missing.join(', ')} as an ordinary value.
        </p>
      )}
    </>
  )
}

type MoveHandleProps = {
  id: string
  name: string
  onDragStart: (event: PointerEvent) => void
  onStep: (step: 1 | -1) => void
}

function MoveHandle({ id, name, onDragStart, onStep }: MoveHandleProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    onStep(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <IconButton
      id={`move-${id}`}
      label={`Move ${name}: drag, or press the up and down arrow keys`}
      onPointerDown={onDragStart}
      onKeyDown={onKeyDown}
      className="cursor-grab touch-none active:cursor-grabbing"
      icon={GripVertical}
    />
  )
}
