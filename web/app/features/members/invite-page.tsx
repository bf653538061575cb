import { useState } from 'react'
import type { InvitationOffer } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useAnswer, useChange, useSteps } from '../../lib/calls/use-call.ts'
import { ROLE_NAMES, signOut, useMe, useTenants } from '../../lib/data/me.ts'
import { openWorkspace } from '../../lib/data/workspaces.ts'
import { dateTime } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { EmailText } from '../../ui/email-text.tsx'
import { Facts } from '../../ui/facts.tsx'
import { LoadingState } from '../../ui/loaded.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { PageNote } from '../../ui/page-note.tsx'

/** Where an invitation's link leads. Opening it changes nothing; joining takes one press. */
export function InvitePage({ token }: { token: string }) {
  const preview = useAnswer('previewInvitation', { token }, { staleTime: Number.POSITIVE_INFINITY })
  const [joined, setJoined] = useState<{ id: string; name: string } | null>(null)
  if (joined !== null) return <Joined workspace={joined} />
  if (preview.data !== undefined) return <Offer token={token} offer={preview.data} onJoined={setJoined} />
  if (preview.error !== null && describeFailure(preview.error).status === 404) return <NoInvitation />
  return <LoadingState query={preview} what="the invitation" />
}

type OfferProps = {
  token: string
  offer: InvitationOffer
  onJoined: (workspace: { id: string; name: string }) => void
}

function Offer({ token, offer, onJoined }: OfferProps) {
  const { tenant, email, role, invited_by, expires_at } = offer
  const me = useMe().data
  const accept = useChange('acceptInvitation', { token })
  const leaving = useSteps(signOut)
  const isForMe = me === undefined || me.email.toLowerCase() === email.toLowerCase()
  const facts = {
    Workspace: tenant.name,
    'Invited by': (
      <EmailText text={`${invited_by.username} (${invited_by.email ?? 'e-mail not verified'})`} />
    ),
    Role: ROLE_NAMES[role],
    For: <EmailText text={email} />,
    Expires: dateTime(expires_at),
  }
  return (
    <div className="max-w-read pt-4">
      <PageHeading title={`Join ${tenant.name}`} />
      <Facts
        facts={facts}
        className="grid-cols-[7rem_1fr] gap-y-2 rounded-lg border border-line bg-surface p-4 sm:p-5"
      />
      {me !== undefined && !isForMe && (
        <Notice tone="caution" className="mt-4">
          <EmailText text={`You are signed in as ${me.email}. Sign in as ${email} to join.`} />
          <Button
            label="Sign out"
            size="small"
            busy={leaving.isPending}
            onClick={() => leaving.mutate('here', { onSuccess: signInAgain })}
            className="mt-2 flex"
          />
        </Notice>
      )}
      <FailureNotice error={accept.error ?? leaving.error} act="go on" className="mt-4" />
      {isForMe && (
        <Button
          label="Join the workspace"
          look="primary"
          size="large"
          busy={accept.isPending}
          onClick={() => accept.mutate(undefined, { onSuccess: () => onJoined(tenant) })}
          className="mt-6"
        />
      )}
    </div>
  )
}

/** Back to this invitation, or to the provider first, where it has a session to end. */
function signInAgain(address: string): void {
  if (address.startsWith('/')) location.reload()
  else location.assign(address)
}

function Joined({ workspace: { id, name } }: { workspace: { id: string; name: string } }) {
  const hasOthers = useTenants().data?.some((tenant) => tenant.id !== id) === true
  return (
    <div className="max-w-read pt-4">
      <PageHeading title={`You joined ${name}`} />
      {hasOthers && <p className="text-ink-soft">Your other pages stay in the workspace they show.</p>}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button label={`Open ${name}`} look="primary" onClick={() => void openWorkspace(id)} />
        {hasOthers && <Button label="Stay where I was" onClick={() => location.assign('/')} />}
      </div>
    </div>
  )
}

function NoInvitation() {
  return (
    <PageNote title="This invitation is not valid">
      It was used or revoked, or it has expired. Ask an owner of the workspace for a new one.
    </PageNote>
  )
}
