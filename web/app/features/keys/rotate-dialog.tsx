import type { KeyWithBundles, SavedKey } from '../../lib/calls/answers.ts'
import { useHolders } from '../../lib/data/holders.ts'
import { useSaveKey } from '../../lib/data/keys.ts'
import { useKeyDraft } from '../../lib/page/use-key-draft.ts'
import { randomValue } from '../../lib/rules/random-value.ts'
import { valueProblem } from '../../lib/rules/value-warnings.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../../ui/button.tsx'
import { useUndo } from '../../ui/cell-form/use-undo.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { RefreshCw } from '../../ui/icons.ts'
import { ValueField } from '../../ui/value-field.tsx'

type RotateDialogProps = { item: KeyWithBundles; isProduction: boolean; onClose: () => void }

/** Asks for a new value, which a person types or has made, and says who keeps the old one. */
export function RotateDialog({ item, isProduction, onClose }: RotateDialogProps) {
  const saving = useSaveKey(item.id)
  const undoOf = useUndo(item, undefined)
  const { draft, change, setValue, notice } = useKeyDraft(item, { isSaving: saving.isPending })
  const typed = change.value === undefined ? '' : (draft.value.text ?? '')
  const isReady = typed !== '' && valueProblem(typed) === null
  const done = (saved: SavedKey) => ({
    text: `Rotated ${variableOf(item)}: version ${saved.version}.`,
    ...undoOf(saved),
  })
  return (
    <FormDialog
      title={`Rotate ${variableOf(item)}`}
      action={isProduction ? 'Rotate in production' : 'Rotate'}
      look={isProduction ? 'danger' : 'primary'}
      change={saving}
      input={() => (isReady ? { change, bundleId: null } : null)}
      unsaved={typed !== ''}
      edited={{ ...notice, isUnchanged: false }}
      done={done}
      onClose={onClose}
    >
      <Reach item={item} />
      <ValueField
        label="New value"
        value={typed}
        isSecret={item.is_secret}
        onChange={(text) => setValue({ text })}
        problem={valueProblem(typed) ?? undefined}
        autoFocus
      />
      <p className="flex items-center gap-2">
        <Button
          label="Generate"
          size="small"
          icon={RefreshCw}
          onClick={() => setValue({ text: randomValue() })}
        />
        {typed !== '' && <CopyButton text={typed} what="the new value" />}
        <span className="text-xs text-ink-soft">32 random bytes, if you choose the value.</span>
      </p>
    </FormDialog>
  )
}

/** Where the new value counts, and who has the old one until they fetch again. */
function Reach({ item: { id, bundles, version } }: Pick<RotateDialogProps, 'item'>) {
  const holders = useHolders(id).data?.length ?? 0
  return (
    <>
      {bundles.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5">
          Changes in{' '}
          {bundles.map(({ id: bundleId, name }) => (
            <EnvChip key={bundleId} name={name} isMention />
          ))}
        </p>
      )}
      <p className="text-ink-soft">
        {holders === 0
          ? `No terminal or machine has version ${version}.`
          : `${counted(holders, 'holder keeps', 'holders keep')} the old value until they fetch again.`}
      </p>
    </>
  )
}
