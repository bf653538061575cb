import { isProduction } from '@keyferry/contract/production'
import { useState } from 'react'
import type { Bundle, ComparedRow } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useWeaker } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OpenCopies } from '../../ui/open-copies.tsx'
import { WeakerNotice } from '../../ui/stricter-notice.tsx'
import { copiesTo } from './matrix-rows.ts'

type CopyDialogProps = {
  /** The bundle that lacks the names. */
  to: Bundle
  bundles: readonly Bundle[]
  /** The names to copy, as far as it lacks them. */
  rows: readonly ComparedRow[]
  onClose: () => void
}

/** Asks before variables are copied into a bundle. The server copies them, so no secret is shown or typed. */
export function CopyDialog({ to, bundles, rows, onClose }: CopyDialogProps) {
  const copies = copiesTo(to.id, rows)
  const nameOf = (id: string) => bundles.find((bundle) => bundle.id === id)?.name ?? ''
  const names = copies.map(({ name }) => name)
  const open = copies.flatMap(({ name, isSecret }) => (isSecret ? [] : [name]))
  const [isOpen, setOpen] = useState(false)
  const marked = new Set(isOpen ? open : [])
  const entries = copies.map(({ name, from }) => {
    return { name, from: nameOf(from), ...(marked.has(name) ? { is_secret: false } : {}) }
  })
  const change = useChange('importVariables', { bundle: to.name, entries, own: names })
  const production = isProduction(to)
  const ids = copies.map(({ keyId }) => keyId)
  const weaker = useWeaker(ids, to.id)
  const what = counted(copies.length, 'variable')
  return (
    <FormDialog
      title={`Copy ${what} to ${to.name}`}
      action={`Copy ${copies.length} to ${production ? 'production' : to.name}`}
      look={production ? 'danger' : 'primary'}
      change={change}
      input={() => ({})}
      done={`${to.name} has ${what} more.`}
      onClose={onClose}
    >
      {production && (
        <Notice tone="danger">
          {to.name} is for production. Programs that start with it get these values from the next approval on.
        </Notice>
      )}
      <ul aria-label="Variables" className="max-h-60 overflow-auto text-sm">
        {entries.map(({ name, from }) => (
          <li
            key={name}
            className="flex flex-wrap justify-between gap-x-4 border-t border-line py-1.5 first:border-0"
          >
            <EntryName name={name} className="font-mono" />
            <span className="text-ink-soft">from {from}</span>
          </li>
        ))}
      </ul>
      <OpenCopies names={open} checked={isOpen} onChange={setOpen} />
      <WeakerNotice names={weaker} />
    </FormDialog>
  )
}
