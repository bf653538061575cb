import { useState } from 'react'
import type { ApprovalKey, Me } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../badge.tsx'
import { Button, IconButton } from '../button.tsx'
import { ConfirmChange } from '../confirm-change.tsx'
import { FormDialog } from '../dialog-form.tsx'
import { Trash2 } from '../icons.ts'
import { Rows } from '../section.tsx'
import { TextField } from '../text-field.tsx'

type ListProps = { keys: readonly ApprovalKey[]; me: Me; namesPeople: boolean }

/** Signing keys, each with how far it is. */
export function ApprovalKeyList({ keys, me, namesPeople }: ListProps) {
  const signs = keys.some((key) => key.user_id === me.user_id && isActive(key))
  return (
    <Rows label="Signing keys" className="mt-3">
      {keys.map((key) => (
        <KeyRow
          key={key.id}
          approvalKey={key}
          title={visibleText(namesPeople ? `${key.username} · ${key.name}` : key.name)}
          canConfirm={signs && key.state !== 'active' && !(key.confirmed_by === me.user_id && waits(key))}
        />
      ))}
    </Rows>
  )
}

const isActive = ({ state, works_here }: ApprovalKey): boolean => state === 'active' && works_here

const waits = ({ counts_from }: ApprovalKey): boolean => Date.parse(counts_from ?? '') > Date.now()

type RowProps = { approvalKey: ApprovalKey; title: string; canConfirm: boolean }

function KeyRow({ approvalKey: key, title, canConfirm }: RowProps) {
  const [open, setOpen] = useState<'confirm' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-x-2 gap-y-1 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 basis-52">
        <p className="text-sm [overflow-wrap:anywhere]">
          {title} <StateBadge {...key} />
        </p>
        <p className="text-xs text-ink-soft">
          {key.synced ? 'on all devices of an account' : 'bound to one device'} · added {ago(key.created_at)}
          {key.last_used_at !== null && ` · last used ${ago(key.last_used_at)}`}
        </p>
        {key.state !== 'active' && <Awaited {...key} />}
      </div>
      <div className="ml-auto flex items-center gap-2">
        {canConfirm && <Button label="Confirm" size="small" onClick={() => setOpen('confirm')} />}
        <IconButton label={`Remove ${title}`} onClick={() => setOpen('remove')} icon={Trash2} px={17} />
      </div>
      {open === 'confirm' && <ConfirmKeyDialog id={key.id} title={title} onClose={close} />}
      {open === 'remove' && <RemoveKeyDialog id={key.id} title={title} onClose={close} />}
    </li>
  )
}

function StateBadge({ state, works_here }: ApprovalKey) {
  if (!works_here) return <Badge tone="danger">other address</Badge>
  if (state === 'active') return <Badge tone="good">signs</Badge>
  return <Badge tone="caution">waiting</Badge>
}

/** What a key that does not sign yet waits for. */
function Awaited({ fingerprint, counts_from, ends_at }: ApprovalKey) {
  const until =
    counts_from === null
      ? `Ends ${ends_at === null ? 'soon' : dateTime(ends_at)} if no one confirms it.`
      : `Confirmed once. It signs when another owner confirms it, or the same person after ${dateTime(counts_from)}.`
  return (
    <div className="mt-1 text-xs">
      {fingerprint !== null && (
        <p translate="no" className="font-mono text-sm tracking-wide [overflow-wrap:anywhere]">
          {fingerprint}
        </p>
      )}
      <p className="text-ink-soft">{until}</p>
    </div>
  )
}

type KeyDialogProps = { id: string; title: string; onClose: () => void }

function ConfirmKeyDialog({ id, title, onClose }: KeyDialogProps) {
  const confirm = useChange('confirmApprovalKey', { key_id: id })
  const [fingerprint, setFingerprint] = useState('')
  return (
    <FormDialog
      title="Confirm a signing key"
      action="Continue"
      change={confirm}
      input={() => ({ fingerprint })}
      done="The key signs now."
      onClose={onClose}
    >
      <p className="text-sm text-ink-soft [overflow-wrap:anywhere]">
        {title}. Call the person, and type the first eight letters that they read from their page. Do not take
        the letters from a message or from this browser.
      </p>
      <TextField
        label="First eight letters"
        code="normal"
        required
        autoFocus
        maxLength={20}
        value={fingerprint}
        onChange={setFingerprint}
      />
    </FormDialog>
  )
}

function RemoveKeyDialog({ id, title, onClose }: KeyDialogProps) {
  const remove = useChange('removeApprovalKey', { key_id: id })
  return (
    <ConfirmChange
      title="Remove this signing key?"
      action="Remove"
      change={remove}
      done={`Removed ${title}.`}
      onClose={onClose}
    >
      <p className="[overflow-wrap:anywhere]">
        {title} signs nothing after that. Delete it on its device too.
      </p>
    </ConfirmChange>
  )
}
