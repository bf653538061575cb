import { isProduction } from '@keyferry/contract/production'
import { useState } from 'react'
import type { Bundle, ComparedRow } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useStricter, useWeaker } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { HintedCheckbox } from '../../ui/hinted-checkbox.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OpenCopies } from '../../ui/open-copies.tsx'
import { StricterNotice, WeakerNotice } from '../../ui/stricter-notice.tsx'
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
  const [isShared, setShared] = useState(false)
  const copies = copiesTo(to.id, rows)
  const nameOf = (id: string) => bundles.find((bundle) => bundle.id === id)?.name ?? ''
  const names = copies.map(({ name }) => name)
  const open = copies.flatMap(({ name, isSecret }) => (isSecret ? [] : [name]))
  const [isOpen, setOpen] = useState(false)
  const marked = new Set(isOpen && !isShared ? open : [])
  const entries = copies.map(({ name, from }) => {
    return { name, from: nameOf(from), ...(marked.has(name) ? { is_secret: false } : {}) }
  })
  const change = useChange('importVariables', { bundle: to.name, entries, own: isShared ? [] : names })
  const production = isProduction(to)
  const ids = copies.map(({ keyId }) => keyId)
  const stricter = useStricter(ids, isShared ? to.id : null)
  const weaker = useWeaker(ids, isShared ? null : to.id)
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
      <HintedCheckbox
        label="Keep them the same"
        hint={
          isShared
            ? 'The bundles share one value: a change in one changes the other.'
            : `${to.name} gets its own copies, which change by themselves.`
        }
        checked={isShared}
        onChange={setShared}
      />
      {!isShared && <OpenCopies names={open} checked={isOpen} onChange={setOpen} />}
      <StricterNotice names={stricter} />
      <WeakerNotice names={weaker} />
    </FormDialog>
  )
}
