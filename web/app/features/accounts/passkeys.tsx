import { useState } from 'react'
import type { OwnPasskeys, Passkey } from '../../lib/accounts/answers.ts'
import { confirmed } from '../../lib/accounts/passkeys.ts'
import { call } from '../../lib/calls/call.ts'
import { useAnswer, useSteps } from '../../lib/calls/use-call.ts'
import { useSession } from '../../lib/data/me.ts'
import { passkeyObstacle } from '../../lib/data/passkey-browser.ts'
import { ago } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { HintedCheckbox } from '../../ui/hinted-checkbox.tsx'
import { KeyRound, Pencil, Trash2 } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import {
  AddPasskeyDialog,
  PasswordDialog,
  RemovePasskeyDialog,
  RenamePasskeyDialog,
} from './passkey-dialogs.tsx'

/** The passkeys of a local account: add, rename, remove, and whether the password asks for one. */
export function Passkeys() {
  const own = useAnswer('listPasskeys', {})
  const session = useSession().data
  const [adding, setAdding] = useState(false)
  const obstacle = session === undefined ? null : passkeyObstacle(session.passkey_origin)
  // Where passkeys do not work, the choice can only end: otherwise it locks the person out.
  const canChoose =
    own.data !== undefined && own.data.passkeys.length > 0 && (obstacle === null || own.data.after_password)
  return (
    <Section title="Passkeys" className="mt-8">
      <p className="mt-1 text-sm text-ink-soft">
        Sign in with your fingerprint, face, device PIN or security key instead of your password.
      </p>
      <Loaded query={own} what="your passkeys">
        {(data) => <PasskeyList {...data} />}
      </Loaded>
      {obstacle === null ? (
        <Button className="mt-4" onClick={() => setAdding(true)}>
          <KeyRound aria-hidden size={17} />
          Add a passkey
        </Button>
      ) : (
        <Notice tone="plain" className="mt-3">
          {obstacle}
        </Notice>
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
type PasskeyRowProps = { passkey: Passkey; endsSecondFactor: boolean }

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

function historyOf({ created_at, last_used_at }: Passkey): string {
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
