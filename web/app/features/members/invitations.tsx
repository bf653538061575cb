import { useState } from 'react'
import type { CreatedInvitation, Role } from '../../lib/calls/answers.ts'
import { describeFailure, failureText } from '../../lib/calls/failure.ts'
import { shown, useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { ROLE_NAMES } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { EmailText } from '../../ui/email-text.tsx'
import { Form } from '../../ui/form.tsx'
import { Link2, X } from '../../ui/icons.ts'
import { Notice } from '../../ui/notice.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { withToast } from '../../ui/toast-store.ts'

/** Invites people and lists the invitations that are open. */
export function Invitations() {
  const [created, setCreated] = useState<readonly CreatedInvitation[]>([])
  // A new link for the same address replaces the old one.
  const add = (invitation: CreatedInvitation) =>
    setCreated((links) => [invitation, ...links.filter(({ email }) => email !== invitation.email)])
  return (
    <Section title="Invite a member" size="large" className="mt-8">
      <InviteForm onCreated={add} />
      {created.map((invitation) => (
        <InviteLink key={invitation.id} invitation={invitation} />
      ))}
      <OpenInvitations
        onCreated={add}
        onRevoked={(id) => setCreated((links) => links.filter((each) => each.id !== id))}
      />
    </Section>
  )
}

function InviteForm({ onCreated }: { onCreated: (invitation: CreatedInvitation) => void }) {
  const invite = useChange('createInvitation', {})
  const isAsked = useAddressFields(['invite']).textOf('invite') !== ''
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  useUnsaved(email !== '')
  const member = memberOf(invite.error)
  const submit = (replaces?: string) =>
    invite.mutate(
      { email: email.trim(), role, ...(replaces === undefined ? {} : { replaces }) },
      {
        onSuccess: (invitation) => {
          setEmail('')
          onCreated(invitation)
        },
      },
    )
  return (
    <Form busy={invite.isPending} onSubmit={() => submit()} className="mt-3 flex flex-wrap items-start gap-3">
      <div className="min-w-56 flex-1">
        <TextField
          label="E-mail"
          type="email"
          autoFocus={isAsked}
          value={email}
          onChange={setEmail}
          problem={failureText(invite.error)}
          hint="Only a person who signs in with this e-mail can join."
          autoComplete="off"
        />
      </div>
      <label className="text-sm font-medium">
        <span className="mb-1 block">Role</span>
        <Select
          value={role}
          options={[
            ['member', ROLE_NAMES.member],
            ['owner', ROLE_NAMES.owner],
          ]}
          onChange={setRole}
          className="field w-auto font-normal"
        />
      </label>
      <Button label="Invite" type="submit" look="primary" busy={invite.isPending} className="mt-6.5" />
      {member !== null && (
        <Notice tone="plain" className="basis-full">
          <p className="mb-2">
            {visibleText(member.username)} has this address. If they sign in another way now, this link gives
            the membership to the person who opens it. Approval keys do not move.
          </p>
          <Button label="Move the membership" busy={invite.isPending} onClick={() => submit(member.id)} />
        </Notice>
      )}
    </Form>
  )
}

/** The member who has the invited address already. */
function memberOf(error: Error | null): { id: string; username: string } | null {
  const { id, username } = error === null ? {} : describeFailure(error).details
  return typeof id === 'string' && typeof username === 'string' ? { id, username } : null
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
      <Rows label="Open invitations" className="mt-2">
        {invitations.map(({ id, email, role, expires_at }) => (
          <li key={id} className="flex min-h-13 items-center gap-3 py-2 pr-2 pl-4">
            <div className="min-w-0 flex-1">
              <p>
                <EmailText text={email} />
              </p>
              <p className="text-xs text-ink-soft">until {dateTime(expires_at)}</p>
            </div>
            <Badge>{ROLE_NAMES[role]}</Badge>
            <IconButton
              label={`New link for ${email}`}
              onClick={() =>
                renew.mutate(
                  { email, role },
                  { ...withToast('The old link no longer works.'), onSuccess: onCreated },
                )
              }
              icon={Link2}
              px={17}
            />
            <IconButton
              label={`Revoke the invitation of ${email}`}
              onClick={() => {
                revoke.mutate({ invitation_id: id }, withToast(`Revoked the invitation of ${email}.`))
                onRevoked(id)
              }}
              icon={X}
              px={17}
            />
          </li>
        ))}
      </Rows>
    </>
  )
}
