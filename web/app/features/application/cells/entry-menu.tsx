import type { ComparedCell } from '../../../lib/calls/answers.ts'
import { Asterisk, Copy, Replace, Tag, Unlink } from '../../../ui/icons.ts'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import type { EntryAt, TakenFrom } from '../environment/environments.ts'
import type { CellChanges } from '../use-cell-changes.tsx'

type EntryMenuProps = {
  variable: EntryAt
  facts: NonNullable<ComparedCell['facts']>
  changes: CellChanges
  /** Whose values the person can take. */
  sources: readonly TakenFrom[]
}

/** What else a person does with a variable of one environment. */
export function EntryMenu({ variable, facts, changes, sources }: EntryMenuProps) {
  const { bundle, name } = variable
  const taking = sources.map((source) => ({
    label: `Take ${source.from.label}’s value`,
    icon: Copy,
    onPick: () => changes.take(variable, source),
  }))
  const items = [...taking, ...(bundle.may_edit ? editing({ variable, facts, changes }) : [])]
  return items.length === 0 ? null : <Menu label={`More for ${name} in ${bundle.name}`} items={items} />
}

function editing({ variable, facts, changes }: Omit<EntryMenuProps, 'sources'>): MenuItem[] {
  const { required, may_detach } = facts
  return [
    { label: 'Rename', icon: Tag, onPick: () => changes.open(variable, 'rename') },
    ...(may_detach
      ? [{ label: 'Use another key', icon: Replace, onPick: () => changes.open(variable, 'replace') }]
      : []),
    {
      label: required ? 'Not required' : 'Required',
      icon: Asterisk,
      onPick: () => changes.require(variable, !required),
    },
    ...(may_detach
      ? [
          {
            label: `Remove from ${variable.bundle.name}`,
            icon: Unlink,
            gap: true,
            onPick: () => changes.ask(variable),
          },
        ]
      : []),
  ]
}
