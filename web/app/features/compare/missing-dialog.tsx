import { useState } from 'react'
import type { Bundle, ComparedRow } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useAttachKey } from '../../lib/data/attachments.ts'
import { useCanEdit } from '../../lib/data/me.ts'
import { looksSecret } from '../../lib/rules/key-names.ts'
import { valueProblem } from '../../lib/rules/value-warnings.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SecretCheckbox } from '../../ui/secret-checkbox.tsx'
import { notify } from '../../ui/toast-store.ts'
import { ValueField } from '../../ui/value-field.tsx'
import { keysOf } from './compared-row.ts'

type MissingDialogProps = {
  row: ComparedRow
  /** The bundle that lacks the name. */
  bundle: Bundle
  bundles: readonly Bundle[]
  onClose: () => void
}

/** Offers what can fill a missing cell: a key that another of the bundles uses, or a new value. */
export function MissingDialog({ row, bundle, bundles, onClose }: MissingDialogProps) {
  const [isTyping, setTyping] = useState(false)
  const canEdit = useCanEdit()(bundle)
  const done = (text: string) => {
    onClose()
    notify({ text })
  }
  return (
    <Dialog title={`${row.name} is missing in ${bundle.name}`} onClose={onClose}>
      {!canEdit ? (
        <Notice tone="plain">Owners change this bundle, and so does the member who created it.</Notice>
      ) : isTyping ? (
        <NewValueForm name={row.name} bundleName={bundle.name} onClose={onClose} />
      ) : (
        <>
          <KeysToShare row={row} bundle={bundle} bundles={bundles} onDone={done} />
          <Button label="Enter a new value" className="mt-3" onClick={() => setTyping(true)} />
        </>
      )}
    </Dialog>
  )
}

type KeysToShareProps = Omit<MissingDialogProps, 'onClose'> & { onDone: (text: string) => void }

function KeysToShare({ row, bundle, bundles, onDone }: KeysToShareProps) {
  const attach = useAttachKey(bundle.id)
  const namesOf = (ids: readonly string[]) =>
    bundles.filter(({ id }) => ids.includes(id)).map(({ name }) => name)
  const share = (keyId: string, with_: string) =>
    attach.mutate(
      { key_id: keyId, as: row.name },
      { onSuccess: () => onDone(`${bundle.name} shares ${row.name} with ${with_}.`) },
    )
  return (
    <>
      <ul className="divide-y divide-line rounded-md border border-line">
        {keysOf(row).map(({ id, name, bundleIds }) => (
          <li key={id} className="flex flex-wrap items-center gap-3 px-3 py-2">
            <span className="min-w-0 flex-1 basis-40">
              <EntryName name={name} className="block font-mono text-sm" />
              <span className="block text-xs text-ink-soft">used by {namesOf(bundleIds).join(', ')}</span>
            </span>
            <Button
              size="small"
              busy={attach.isPending}
              onClick={() => share(id, namesOf(bundleIds).join(', '))}
            >
              Share<span className="sr-only"> {name}</span>
            </Button>
          </li>
        ))}
      </ul>
      <FailureNotice error={attach.error} className="mt-3" />
    </>
  )
}

type NewValueFormProps = { name: string; bundleName: string; onClose: () => void }

function NewValueForm({ name, bundleName, onClose }: NewValueFormProps) {
  const add = useChange('importVariables', { bundle: bundleName, own: [name] })
  const [value, setValue] = useState('')
  const [isSecret, setSecret] = useState(() => looksSecret(name, ''))
  const [problem, setProblem] = useState<string | undefined>()
  const input = () => {
    const found = valueProblem(value)
    setProblem(found ?? undefined)
    return found === null ? { entries: [{ name, value, is_secret: isSecret }] } : null
  }
  return (
    <DialogForm
      action="Create key"
      change={add}
      input={input}
      unsaved={value !== ''}
      done={`${bundleName} has its own ${name}.`}
      onClose={onClose}
    >
      <ValueField
        label={`Value in ${bundleName}`}
        value={value}
        isSecret={isSecret}
        onChange={setValue}
        problem={problem}
        autoFocus
      />
      <SecretCheckbox checked={isSecret} onChange={setSecret} />
    </DialogForm>
  )
}
