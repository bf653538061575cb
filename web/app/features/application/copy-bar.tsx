import { useState } from 'react'
import type { useSelection } from '../../lib/page/selection.ts'
import { Button } from '../../ui/button.tsx'
import { deferred } from '../../ui/deferred.tsx'
import type { SelectedKey } from '../../ui/selection/key-question.tsx'
import { SelectedKeys } from '../../ui/selection/selected-keys.tsx'
import { EnvironmentChip } from './environment/environment-chip.tsx'
import type { EnvironmentColumn } from './environment/environments.ts'
import { copiesTo, type MatrixRow } from './matrix-rows.ts'

const CopyDialog = deferred('CopyDialog', () => import('./copy-dialog.tsx'))

type CopyBarProps = {
  environments: readonly EnvironmentColumn[]
  /** The selected rows, and those that the filter shows. */
  rows: readonly MatrixRow[]
  shown: readonly MatrixRow[]
  selection: ReturnType<typeof useSelection>
}

/** What is possible with the selected variables: copy them to the environments that lack some. */
export function CopyBar({ environments, rows, shown, selection }: CopyBarProps) {
  const [to, setTo] = useState<EnvironmentColumn | null>(null)
  const targets = environments
    .map((bundle) => ({ bundle, count: copiesTo(bundle.id, rows).length }))
    .filter(({ bundle, count }) => bundle.may_edit && count > 0)
  // The keys behind the selected rows, in every environment.
  const keys = new Map<string, SelectedKey>()
  for (const { name, cells } of rows)
    for (const { key_id: id, key_name, facts } of cells)
      if (id !== null && facts !== undefined) keys.set(id, { ...facts, id, name: key_name ?? name })
  return (
    <>
      <SelectedKeys selection={selection} shown={shown.map(({ name }) => name)} keys={[...keys.values()]}>
        {targets.length > 0 && <span className="text-xs text-ink-soft">Copy to</span>}
        {targets.map(({ bundle, count }) => (
          <Button
            key={bundle.id}
            size="small"
            aria-label={`Copy to ${bundle.label} ${count} missing`}
            onClick={() => setTo(bundle)}
          >
            <EnvironmentChip bundle={bundle} /> {count} missing
          </Button>
        ))}
      </SelectedKeys>
      {to !== null && (
        <CopyDialog
          to={to}
          copies={copiesTo(to.id, rows).map((copy) => ({
            ...copy,
            from: { name: environments.find(({ id }) => id === copy.source.bundle_id)?.name ?? '' },
          }))}
          onClose={() => {
            setTo(null)
            selection.clear()
          }}
        />
      )}
    </>
  )
}
