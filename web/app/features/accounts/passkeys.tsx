import type { Answer } from '@keyferry/contract/client'
import { LIMITS } from '@keyferry/contract/limits'
import { type ComponentProps, useState } from 'react'
import { confirmed, useAddPasskey } from '../../lib/accounts/passkeys.ts'
import type { Endpoints } from '../../lib/calls/answers.ts'
import { call } from '../../lib/calls/call.ts'
import { useAnswer, useChange, useSteps } from '../../lib/calls/use-call.ts'
import { useSession } from '../../lib/data/me.ts'
import { passkeyObstacle } from '../../lib/data/passkey-browser.ts'
import { useEdit } from '../../lib/page/use-edit.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { ago } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { HintedCheckbox } from '../../ui/hinted-checkbox.tsx'
import { KeyRound, Pencil, Trash2 } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { PasswordField } from './password-field.tsx'

type OwnPasskeys = Answer<Endpoints['listPasskeys']>
type OwnPasskey = OwnPasskeys['passkeys'][number]

/** The passkeys of a local account: add, rename, remove, and whether the password asks for one. */
export function Passkeys() {
  const own = useAnswer('listPasskeys', {})
  const session = useSession().data
  const [adding, setAdding] = useState(false)
  const obstacle = session === undefined ? null : passkeyObstacle(session.passkey_origin ?? null)
  // Where passkeys do not work, the choice can only end: otherwise it locks the person out.
  const canChoose =
    own.data !== undefined && own.data.passkeys.length > 0 && (obstacle === null || own.data.after_password)
  return (
    <Section
      title="Passkeys"
      className="mt-8"
      intro={obstacle ?? 'Sign in with your fingerprint, face, device PIN or security key.'}
    >
      <Loaded query={own} what="your passkeys">
        {(data) => <PasskeyList {...data} />}
      </Loaded>
      {obstacle === null && (
        <Button label="Add a passkey" className="mt-4" icon={KeyRound} onClick={() => setAdding(true)} />
      )}
      {canChoose && <SecondFactor afterPassword={own.data.after_password} />}
      {adding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
    </Section>
  )
}

function PasskeyList({ passkeys, after_password }: OwnPasskeys) {
  if (passkeys.length === 0) return null
  const endsSecondFactor = passkeys.length === 1 && after_password
  return (
    <Rows className="mt-3">
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} endsSecondFactor={endsSecondFactor} />
      ))}
    </Rows>
  )
}

/** `endsSecondFactor`: to remove this passkey ends the choice to be asked for one after the password. */
type PasskeyRowProps = { passkey: OwnPasskey; endsSecondFactor: boolean }

/** One passkey: its name, when it was added and last used, and what can be done with it. */
function PasskeyRow({ passkey, endsSecondFactor }: PasskeyRowProps) {
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const name = visibleText(passkey.name)
  return (
    <li className="flex min-h-13 items-center gap-1 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="text-sm break-words">{name}</p>
        <p className="text-xs text-ink-soft">{historyOf(passkey)}</p>
      </div>
      <IconButton label={`Rename ${name}`} onClick={() => setOpen('rename')} icon={Pencil} />
      <IconButton label={`Remove ${name}`} onClick={() => setOpen('remove')} icon={Trash2} />
      {open === 'rename' && <RenamePasskeyDialog passkey={passkey} onClose={close} />}
      {open === 'remove' && (
        <RemovePasskeyDialog passkey={passkey} endsSecondFactor={endsSecondFactor} onClose={close} />
      )}
    </li>
  )
}

function historyOf({ created_at, last_used_at }: OwnPasskey): string {
  const used = last_used_at === null ? 'never used' : `last used ${ago(last_used_at)}`
  return `added ${ago(created_at)} · ${used}`
}

/** Whether a sign-in with the password also asks for a passkey. */
function SecondFactor({ afterPassword }: { afterPassword: boolean }) {
  const [changing, setChanging] = useState(false)
  return (
    <>
      <HintedCheckbox
        label="Ask for a passkey after my password"
        hint="Your password alone does not sign you in then. If you lose every passkey, an operator can reset your account."
        checked={afterPassword}
        // The box stays as it is until the dialog has decided.
        onChange={() => setChanging(true)}
        className="mt-4"
      />
      {changing && <SecondFactorDialog wanted={!afterPassword} onClose={() => setChanging(false)} />}
    </>
  )
}

function SecondFactorDialog({ wanted, onClose }: { wanted: boolean; onClose: () => void }) {
  const change = useSteps(
    async (password: string) =>
      call('changeSecondFactor', { after_password: wanted, ...confirmed(password) }),
    { refreshes: ['listPasskeys'] },
  )
  return (
    <PasswordDialog
      title={wanted ? 'Ask for a passkey after my password' : 'Sign in with the password only'}
      action={wanted ? 'Turn on' : 'Turn off'}
      change={change}
      onClose={onClose}
    />
  )
}

const NAME_FIELD = {
  label: 'Name',
  maxLength: LIMITS.passkeyNameLength,
  autoComplete: 'off',
  required: true,
} as const

/** Names a new passkey, asks for the password, and lets the browser make the passkey. */
function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const add = useAddPasskey()
  const [name, setName] = useState(browserName(navigator.userAgent) ?? '')
  const [current, setCurrent] = useState('')
  return (
    <FormDialog
      title="Add a passkey"
      action="Continue"
      change={add}
      input={() => ({ name, current })}
      done={(passkey) => `Added the passkey ${passkey.name}.`}
      onClose={onClose}
    >
      <TextField
        {...NAME_FIELD}
        value={name}
        onChange={setName}
        hint="Names the device or the password manager that stores the passkey."
      />
      <PasswordField label="Current password" value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}

/** Gives a passkey another name. */
function RenamePasskeyDialog({ passkey, onClose }: { passkey: OwnPasskey; onClose: () => void }) {
  const rename = useChange('renamePasskey', { passkey_id: passkey.id })
  const { draft, change, set, conflict } = useEdit({ name: passkey.name })
  return (
    <FormDialog
      title="Rename the passkey"
      action="Save"
      change={rename}
      input={() => change && { ...change, name: draft.name }}
      unsaved={change !== null}
      edited={{ conflict, recordId: passkey.id, isUnchanged: change === null }}
      onClose={onClose}
    >
      <TextField {...NAME_FIELD} autoFocus value={draft.name} onChange={(name) => set({ name })} />
    </FormDialog>
  )
}

type RemovePasskeyDialogProps = { passkey: OwnPasskey; endsSecondFactor: boolean; onClose: () => void }

/** Removes a passkey; your password always stays a way to sign in. */
function RemovePasskeyDialog({ passkey, endsSecondFactor, onClose }: RemovePasskeyDialogProps) {
  const remove = useSteps(
    async (password: string) => call('removePasskey', { passkey_id: passkey.id, ...confirmed(password) }),
    { refreshes: ['listPasskeys'] },
  )
  return (
    <PasswordDialog
      title="Remove the passkey"
      action="Remove"
      change={remove}
      done={`Removed the passkey ${passkey.name}.`}
      onClose={onClose}
    >
      <p className="text-sm text-ink-soft">
        {visibleText(passkey.name)} does not sign you in after that. Delete it on its device too. You can
        still sign in with your password.
      </p>
      {endsSecondFactor && (
        <Notice tone="caution" role="status">
          This is your last passkey. After that, your password signs you in without one.
        </Notice>
      )}
    </PasswordDialog>
  )
}

type PasswordDialogProps<Done> = Omit<ComponentProps<typeof FormDialog<string, Done>>, 'input'>

/** Asks for the current password, which the change needs. */
function PasswordDialog<Done>({ children, ...form }: PasswordDialogProps<Done>) {
  const [current, setCurrent] = useState('')
  return (
    <FormDialog {...form} input={() => current}>
      {children}
      <PasswordField label="Current password" value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}
