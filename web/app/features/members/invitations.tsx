import { Link2, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { CreatedInvitation, Role } from '../../lib/calls/answers.ts'
import { failureText } from '../../lib/calls/failure.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { shown, useChange } from '../../lib/calls/use-change.ts'
import { ROLE_NAMES, roleNamed } from '../../lib/data/people.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { dateTime } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { telling } from '../../ui/notify-failure.ts'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Invites people and lists the invitations that are open. */
export function Invitations() {
  const [created, setCreated] = useState<readonly CreatedInvitation[]>([])
  // A new link for the same address replaces the old one.
  const add = (invitation: CreatedInvitation) =>
    setCreated((links) => [invitation, ...links.filter(({ email }) => email !== invitation.email)])
  return (
    <section aria-labelledby="invite" className="mt-8">
      <h2 id="invite" className="text-lg font-semibold">
        Invite a member
      </h2>
      <InviteForm onCreated={add} />
      {created.map((invitation) => (
        <InviteLink key={invitation.id} invitation={invitation} />
      ))}
      <OpenInvitations
        onCreated={add}
        onRevoked={(id) => setCreated((links) => links.filter((each) => each.id !== id))}
      />
    </section>
  )
}

function InviteForm({ onCreated }: { onCreated: (invitation: CreatedInvitation) => void }) {
  const invite = useChange('createInvitation', {})
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  useUnsaved(email !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (invite.isPending) return
    invite.mutate(
      { email: email.trim(), role },
      {
        onSuccess: (invitation) => {
          setEmail('')
          onCreated(invitation)
        },
      },
    )
  }
  return (
    <form onSubmit={submit} className="mt-3 flex flex-wrap items-start gap-3" noValidate>
      <div className="min-w-56 flex-1">
        <TextField
          label="E-mail"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          problem={failureText(invite.error)}
          hint="Only a person who signs in with this e-mail can join."
          autoComplete="off"
        />
      </div>
      <label className="text-sm font-medium">
        <span className="mb-1 block">Role</span>
        <Select
          value={role}
          options={Object.entries(ROLE_NAMES).toReversed()}
          onChange={(text) => setRole(roleNamed(text))}
          className="field w-auto font-normal"
        />
      </label>
      <Button label="Invite" type="submit" look="primary" busy={invite.isPending} className="mt-6.5" />
    </form>
  )
}

function InviteLink({ invitation }: { invitation: CreatedInvitation }) {
  return (
    <Notice tone="good" role="status" className="mt-4">
      <p className="mb-2">
        Send this link to <strong className="font-semibold">{invitation.email}</strong>. It is shown only now,
        works once, and until {dateTime(invitation.expires_at)}.
      </p>
      <CommandLine what="the link" command={`${location.origin}${invitation.accept_path}`} />
    </Notice>
  )
}

type OpenInvitationsProps = {
  onCreated: (invitation: CreatedInvitation) => void
  onRevoked: (id: string) => void
}

function OpenInvitations({ onCreated, onRevoked }: OpenInvitationsProps) {
  const invitations = useAnswer('listInvitations', {}).data ?? []
  const renew = useChange('createInvitation', {})
  const revoke = useChange(
    'revokeInvitation',
    {},
    {
      shows: shown('listInvitations', {}, (all, { invitation_id }) =>
        all.filter(({ id }) => id !== invitation_id),
      ),
    },
  )
  if (invitations.length === 0) return null
  return (
    <>
      <h3 className="mt-6 text-sm font-semibold">Open invitations</h3>
      <ul
        aria-label="Open invitations"
        className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface"
      >
        {invitations.map(({ id, email, role, expires_at }) => (
          <li key={id} className="flex min-h-13 items-center gap-3 py-2 pr-2 pl-4">
            <div className="min-w-0 flex-1">
              <p className="break-all">{email}</p>
              <p className="text-xs text-ink-soft">until {dateTime(expires_at)}</p>
            </div>
            <Badge>{ROLE_NAMES[role]}</Badge>
            <IconButton
              label={`New link for ${email}`}
              onClick={() =>
                renew.mutate(
                  { email, role },
                  { ...telling('The old link no longer works.'), onSuccess: onCreated },
                )
              }
              icon={Link2}
              px={17}
            />
            <IconButton
              label={`Revoke the invitation of ${email}`}
              onClick={() => {
                revoke.mutate({ invitation_id: id }, telling(`Revoked the invitation of ${email}.`))
                onRevoked(id)
              }}
              icon={X}
              px={17}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
