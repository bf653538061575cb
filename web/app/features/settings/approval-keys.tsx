import { LIMITS } from '@keyferry/contract/limits'
import { useState } from 'react'
import type { Me } from '../../lib/calls/answers.ts'
import { useAddApprovalKey, useApprovalKeys } from '../../lib/data/approval-keys.ts'
import { passkeyObstacle } from '../../lib/data/passkey-browser.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { ApprovalKeyList } from '../../ui/approval-keys/key-list.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { KeyRound } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** The person's keys that sign approvals in this workspace. */
export function ApprovalKeys({ me }: { me: Me }) {
  const [adding, setAdding] = useState(false)
  const keys = useApprovalKeys()
  const obstacle = keys.data === undefined ? null : passkeyObstacle(keys.data.address?.origin ?? null)
  return (
    <Section
      title="Signing keys"
      className="mt-8"
      intro={obstacle ?? 'A rule can ask you to sign approvals. A signing key counts in this workspace only.'}
    >
      <Loaded query={keys} what="your signing keys">
        {(data) => <OwnKeys keys={data.keys.filter(({ user_id }) => user_id === me.user_id)} me={me} />}
      </Loaded>
      {obstacle === null && (
        <Button label="Add a signing key" className="mt-4" icon={KeyRound} onClick={() => setAdding(true)} />
      )}
      {adding && <AddKeyDialog me={me} onClose={() => setAdding(false)} />}
    </Section>
  )
}

function OwnKeys({ keys, me }: Omit<Parameters<typeof ApprovalKeyList>[0], 'namesPeople'>) {
  if (keys.length === 0) return null
  const isAwaited = keys.some(({ state }) => state === 'pending')
  return (
    <>
      <ApprovalKeyList keys={keys} me={me} namesPeople={false} />
      {isAwaited && (
        <Notice tone="plain" className="mt-3">
          Read the letters to an owner (the first eight) or to the operator of the server (all 20), in person
          or on the phone. If you have another key that signs, confirm the new one with it.
        </Notice>
      )}
      {keys.some(({ synced }) => synced) && (
        <Notice tone="caution" className="mt-3">
          A key on all devices of an account is as safe as that account. If your password manager stays
          unlocked, a program that clicks for you can approve.
        </Notice>
      )}
    </>
  )
}

function AddKeyDialog({ me, onClose }: { me: Me; onClose: () => void }) {
  const add = useAddApprovalKey(me)
  const [name, setName] = useState(browserName(navigator.userAgent) ?? '')
  return (
    <FormDialog
      title="Add a signing key"
      action="Continue"
      change={add}
      input={() => ({ name })}
      done={({ name: added }) => `Added ${added}. It waits for its confirmation.`}
      onClose={onClose}
    >
      <TextField
        label="Name"
        maxLength={LIMITS.passkeyNameLength}
        autoComplete="off"
        required
        value={name}
        onChange={setName}
        hint="Names the security key or the device. The browser also offers your phone, with a QR code."
      />
    </FormDialog>
  )
}
