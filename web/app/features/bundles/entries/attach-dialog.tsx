import { isKeyName } from '@keyferry/contract/env/names'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { BundleWithItems, Key } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-answer.ts'
import { useChangeKeys } from '../../../lib/data/keys.ts'
import { matches } from '../../../lib/page/search.ts'
import { counted } from '../../../lib/words/counted.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FailureNotice } from '../../../ui/failure-notice.tsx'
import { KeyForm } from '../../../ui/key-form.tsx'
import { KeyValue } from '../../../ui/key-value.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { notify } from '../../../ui/toast-store.ts'

/** Attaches library keys to a bundle, several at once; a key that is missing is created on the way. */
export function AttachDialog({ bundle, onClose }: { bundle: BundleWithItems; onClose: () => void }) {
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
      <Button
        label={isNew ? `Create ${query}` : 'Create a new key'}
        look="quiet"
        size="small"
        onClick={() => onCreate(isNew ? query : '')}
        className="mt-2 -ml-2.5"
        icon={Plus}
      />
      <div className="mt-5 flex flex-wrap items-center justify-end gap-3">
        <Button label="Cancel" onClick={onCancel} />
        <Button
          label={chosen.size === 0 ? 'Attach' : `Attach ${counted(chosen.size, 'key')}`}
          look="primary"
          busy={busy}
          disabled={chosen.size === 0}
          onClick={() => onChoose([...chosen])}
        />
      </div>
    </>
  )
}

/** The keys that the bundle lacks, the person may attach and the query finds; `isNew` when the query could name a key
 * that is not there yet. */
function useFreeKeys(bundle: BundleWithItems, query: string) {
  const keys = useAnswer('listKeys', {}).data
  const free = freeKeys(keys ?? [], bundle).filter(({ may_show }) => may_show)
  const found = free.filter(({ name }) => matches(name, query))
  return { found, isNew: isKeyName(query) && keys?.some(({ name }) => name === query) === false }
}

function freeKeys(keys: readonly Key[], bundle: BundleWithItems): Key[] {
  const attached = new Set(bundle.items.map(({ id }) => id))
  return keys.filter(({ id }) => !attached.has(id))
}

const ROW_HEIGHT_PX = 41

type KeyPickerProps = {
  keys: readonly Key[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

/** A scrolling list of keys to tick, of any length. */
function KeyPicker({ keys, chosen, onChoose }: KeyPickerProps) {
  const box = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: keys.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 6,
    useFlushSync: false,
  })
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  return (
    <div ref={box} className="mt-3 h-72 overflow-auto rounded-md border border-line">
      {keys.length === 0 && (
        <p className="p-4 text-sm text-ink-soft">No keys to attach. Create a new one below.</p>
      )}
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const key = keys[index]
          if (key === undefined) return null
          return (
            <li
              key={key.id}
              className="absolute inset-x-0 top-0 border-line not-first:border-t"
              style={{ transform: `translateY(${start}px)`, height: size }}
            >
              <Checkbox
                className="flex h-full items-center gap-3 px-3 hover:bg-sunken/60"
                checked={chosen.has(key.id)}
                onChange={() => toggle(key.id)}
              >
                <span className="min-w-0 flex-1 truncate font-mono text-sm">{key.name}</span>
                <KeyValue value={key.value} isSecret={key.is_secret} className="max-w-40" />
              </Checkbox>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
