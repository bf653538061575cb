import { isKeyName } from '@keyferry/contract/env/names'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { BundleWithItems, Key } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-answer.ts'
import { useChangeKeys } from '../../../lib/data/key-batches.ts'
import { useCanEdit } from '../../../lib/data/me.ts'
import { matches } from '../../../lib/page/search.ts'
import { counted } from '../../../lib/words/counted.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FailureNotice } from '../../../ui/failure-notice.tsx'
import { KeyForm } from '../../../ui/key-form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { notify } from '../../../ui/toast-store.ts'
import { KeyPicker } from './key-picker.tsx'

type AttachDialogProps = { bundle: BundleWithItems; onClose: () => void }

/** Attaches library keys to a bundle, several at once; a key that is missing is created on the way. */
export function AttachDialog({ bundle, onClose }: AttachDialogProps) {
  const [creating, setCreating] = useState<string | null>(null)
  const attach = useChangeKeys(({ changed }) => {
    notify({ text: changed === 1 ? 'Attached 1 key.' : `Attached ${changed} keys.` })
    onClose()
  })
  const submit = (ids: readonly string[]) =>
    attach.mutate({ action: 'attach', key_ids: [...ids], bundle_id: bundle.id })
  return (
    <Dialog title={creating === null ? 'Attach keys' : `New key for ${bundle.name}`} onClose={onClose} wide>
      {creating === null ? (
        <KeyChoice
          bundle={bundle}
          busy={attach.isPending}
          onCreate={setCreating}
          onChoose={submit}
          onCancel={onClose}
        />
      ) : (
        <KeyForm
          name={creating}
          submitLabel="Create and attach"
          bundle={bundle}
          onCreated={({ id }) => submit([id])}
          onCancel={() => setCreating(null)}
        />
      )}
      <FailureNotice error={attach.error} className="mt-3" />
    </Dialog>
  )
}

type KeyChoiceProps = {
  bundle: BundleWithItems
  busy: boolean
  onCreate: (name: string) => void
  onChoose: (ids: readonly string[]) => void
  onCancel: () => void
}

function KeyChoice({ bundle, busy, onCreate, onChoose, onCancel }: KeyChoiceProps) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { found, isNew } = useFreeKeys(bundle, query)
  return (
    <>
      <TextField
        label="Search the library"
        type="search"
        autoFocus
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <KeyPicker keys={found} chosen={chosen} onChoose={setChosen} />
      <Button look="quiet" size="small" onClick={() => onCreate(isNew ? query : '')} className="mt-2 -ml-2.5">
        <Plus aria-hidden size={15} />
        {isNew ? `Create ${query}` : 'Create a new key'}
      </Button>
      <div className="mt-5 flex flex-wrap items-center justify-end gap-3">
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" busy={busy} disabled={chosen.size === 0} onClick={() => onChoose([...chosen])}>
          {chosen.size === 0 ? 'Attach' : `Attach ${counted(chosen.size, 'key')}`}
        </Button>
      </div>
    </>
  )
}

/** The keys that the bundle lacks, the person may attach and the query finds; `isNew` when the query could name a key that is not there yet. */
function useFreeKeys(bundle: BundleWithItems, query: string) {
  const keys = useAnswer('listKeys', {}).data
  const canEdit = useCanEdit()
  const free = freeKeys(keys ?? [], bundle).filter(canEdit)
  const found = free.filter(({ name }) => matches(name, query))
  return { found, isNew: isKeyName(query) && keys?.some(({ name }) => name === query) === false }
}

function freeKeys(keys: readonly Key[], bundle: BundleWithItems): Key[] {
  const attached = new Set(bundle.items.map(({ id }) => id))
  return keys.filter(({ id }) => !attached.has(id))
}
