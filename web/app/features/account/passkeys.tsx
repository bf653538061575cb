import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { OwnPasskeys } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { passkeyObstacle } from '../../lib/data/passkey-browser.ts'
import { useSession } from '../../lib/data/session.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { AddPasskeyDialog } from './passkey-dialogs.tsx'
import { PasskeyRow } from './passkey-row.tsx'
import { SecondFactor } from './second-factor.tsx'

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
    <section aria-labelledby="passkeys" className="mt-8">
      <h2 id="passkeys" className="text-sm font-semibold">
        Passkeys
      </h2>
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
    </section>
  )
}

function PasskeyList({ passkeys, after_password }: OwnPasskeys) {
  if (passkeys.length === 0) return null
  const endsSecondFactor = passkeys.length === 1 && after_password
  return (
    <ul className="mt-3 divide-y divide-line rounded-lg border border-line bg-surface">
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} endsSecondFactor={endsSecondFactor} />
      ))}
    </ul>
  )
}
