import { OWN_MAILS, type OwnMail } from '@keyferry/contract/mail/kinds'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'

export const pages = [] as const

const LABELS: Readonly<Record<OwnMail, string>> = {
  waiting: 'Somebody waits for your approval',
  key_expires: 'Values expire soon in a workspace that you own',
  signed_in: 'A sign-in from a new network address',
  remembered: 'An approval in your name is remembered',
}

/** The mails that the person gets, where the server sends any. */
export function AccountSection() {
  const own = useAnswer('getOwnMails', {}).data
  const change = useChange('changeOwnMails', {})
  if (own?.sent !== true) return null
  // What was pressed shows at once.
  const { off } = change.isPending ? change.variables : own
  const set = (kind: OwnMail, isOn: boolean) =>
    change.mutate({ off: isOn ? off.filter((each) => each !== kind) : [...off, kind] })
  return (
    <Section title="Mails" className="mt-8">
      <ProveAddress />
      <p className="mt-1 text-sm text-ink-soft">At most one of each kind within an hour.</p>
      <fieldset disabled={change.isPending} className="mt-3 space-y-2 text-sm">
        {OWN_MAILS.map((kind) => (
          <Checkbox
            key={kind}
            label={LABELS[kind]}
            className="flex items-center gap-2"
            checked={!off.includes(kind)}
            onChange={(isOn) => set(kind, isOn)}
          />
        ))}
      </fieldset>
      <FailureNotice error={change.error} act="save this" className="mt-3" />
    </Section>
  )
}

/** Where the link of a mail leads: the person proves that they read their address. */
function ProveAddress() {
  const token = new URLSearchParams(location.search).get('proof')
  const prove = useChange('proveAddress', {})
  if (token === null) return null
  if (prove.isSuccess)
    return (
      <Notice tone="good" role="status" className="mt-3">
        Your address is proved. Mails go there from now on.
      </Notice>
    )
  return (
    <>
      <Button
        label="Prove my address"
        className="mt-3"
        busy={prove.isPending}
        onClick={() => prove.mutate({ token })}
      />
      <FailureNotice error={prove.error} act="prove the address" className="mt-3" />
    </>
  )
}
