import { useState } from 'react'
import type { ComparedCell } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-call.ts'
import { Asterisk, Replace, Tag, Unlink } from '../../../ui/icons.ts'
import { Menu } from '../../../ui/menu.tsx'
import type { CellChanges, EntryAt } from '../use-cell-changes.tsx'
import { OtherKeyDialog, RenameEntryDialog } from './entry-dialogs.tsx'

type EntryMenuProps = { variable: EntryAt; facts: NonNullable<ComparedCell['facts']>; changes: CellChanges }

/** What else an editor does with a variable of one environment. */
export function EntryMenu({ variable, facts, changes }: EntryMenuProps) {
  const { bundle, name, cell } = variable
  const [open, setOpen] = useState<'rename' | 'replace' | null>(null)
  const { required, may_detach } = facts
  return (
    <>
      <Menu
        label={`More for ${name} in ${bundle.name}`}
        items={[
          { label: 'Rename', icon: Tag, onPick: () => setOpen('rename') },
          ...(may_detach
            ? [{ label: 'Use another key', icon: Replace, onPick: () => setOpen('replace') }]
            : []),
          {
            label: required ? 'Not required' : 'Required',
            icon: Asterisk,
            onPick: () => changes.require(variable, !required),
          },
          ...(may_detach
            ? [
                {
                  label: `Remove from ${bundle.name}`,
                  icon: Unlink,
                  gap: true,
                  onPick: () => changes.ask(variable),
                },
              ]
            : []),
        ]}
      />
      {open !== null && <EntryDialog {...{ bundle, cell, name, open }} onClose={() => setOpen(null)} />}
    </>
  )
}

type EntryDialogProps = Omit<EntryAt, 'cell'> & {
  cell: ComparedCell
  open: 'rename' | 'replace'
  onClose: () => void
}

function EntryDialog({ bundle, cell, name, open, onClose }: EntryDialogProps) {
  const whole = useAnswer('getBundle', { bundle_id: bundle.id }).data
  const item = whole?.items.find(({ id }) => id === cell.key_id)
  if (whole === undefined || item === undefined) return null
  const parts = { bundle: whole, item: { ...item, name }, onClose }
  return open === 'rename' ? <RenameEntryDialog {...parts} /> : <OtherKeyDialog {...parts} />
}
