import { MASK } from '@keyferry/contract/limits'
import type { Key, KeyVersion, KeyWithBundles } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useProduction } from '../../lib/data/bundles.ts'
import { useUndo } from '../../ui/cell-form/use-undo.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { StepRow } from '../../ui/import-step/step-row.tsx'
import { Rows } from '../../ui/section.tsx'

type RestoreDialogProps = {
  item: KeyWithBundles
  version: KeyVersion
  /** The current version when the dialog was opened. */
  current: KeyVersion
  versions: readonly KeyVersion[]
  onClose: () => void
}

/** Asks before an older value is used again, and says whom that reaches. */
export function RestoreDialog({ item, version, current, versions, onClose }: RestoreDialogProps) {
  const given = { key_id: item.id, version: version.version, expected_version: current.version }
  const restore = useChange('restoreKeyVersion', given)
  const undoOf = useUndo({ id: item.id, version: current.version }, undefined)
  const { bundles } = item
  const production = useProduction()
  const step = {
    name: item.name,
    action: 'update' as const,
    key_id: item.id,
    key_name: item.name,
    is_secret: version.value === MASK,
    shared_with: [],
    shared_total: 0,
    choices: [],
    old_value: readable(current),
    new_value: readable(version),
  }
  const holders = versions.reduce((sum, each) => sum + each.holders, 0)
  const done = (made: Key) =>
    made.version === current.version
      ? `${made.name} has this value already.`
      : { text: `Restored ${made.name}: version ${made.version}.`, ...undoOf(made) }
  return (
    <ConfirmChange
      title={`Restore version ${version.version} of ${item.name}?`}
      action={`Restore version ${version.version}`}
      isProduction={bundles.some(({ id }) => production?.has(id))}
      change={restore}
      done={done}
      onClose={onClose}
    >
      <p>
        Its value becomes version {current.version + 1}.{bundles.length === 0 && ' No bundle uses it.'}
      </p>
      {bundles.length > 0 && (
        <Rows label="Bundles" className="max-h-60 overflow-auto">
          {bundles.map(({ id, name, as }) => (
            <StepRow key={id} name={as} step={step} about={name} />
          ))}
        </Rows>
      )}
      {holders > 0 && (
        <p>
          {holders === 1 ? '1 holder keeps' : `${holders} holders keep`} the value they were given until they
          fetch again.
        </p>
      )}
      {!item.is_secret && version.value === MASK && <p>The value was secret, so it becomes secret again.</p>}
    </ConfirmChange>
  )
}

const readable = ({ value }: KeyVersion) => (value === null || value === MASK ? undefined : value)
