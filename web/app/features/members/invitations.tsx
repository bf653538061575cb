import { useState } from 'react'
import type { CreatedInvitation, Role } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { shown, useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { ROLE_NAMES } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { ahead, dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { EmailText } from '../../ui/email-text.tsx'
import { Form } from '../../ui/form.tsx'
import { Mail } from '../../ui/icons.ts'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { Select } from '../../ui/select.tsx'
import { failing, withToast } from '../../ui/toast-store.ts'
import { limitSentence, patternsIn } from './limits.tsx'

type OnCreated = (invitation: CreatedInvitation) => void

/** Invites people, in the head of the page. */
export function InviteForm({ onCreated }: { onCreated: OnCreated }) {
  const invite = useChange('createInvitation', {})
  const isAsked = useAddressFields<'invite'>().textOf('invite') !== ''
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [limit, setLimit] = useState('')
  const [group, setGroup] = useState('')
  const [hasMore, setMore] = useState(false)
  const groups = useAnswer('listGroups', {}).data ?? []
  const saved = useUnsaved(email !== '')
  const member = memberOf(invite.error)
  const limited_to = role === 'member' ? patternsIn(limit) : null
  const terms = { role, ...(limited_to && { limited_to }), ...(group !== '' && { groups: [group] }) }
  // One after the other; after a refusal, the addresses that are left stay in the field.
  const send = ([next, ...others]: string[], more: { replaces: string } | typeof terms) => {
    if (next === undefined) return saved()
    invite.mutate(
      { email: next, role, ...more },
      {
        onSuccess: (invitation) => {
          onCreated(invitation)
          setEmail(others.join(', '))
          send(others, terms)
        },
      },
    )
  }
  const submit = (replaces?: string) =>
    send(addressesIn(email), replaces === undefined ? terms : { replaces })
  return (
    <Form busy={invite.isPending} onSubmit={() => submit()} className="min-w-0 max-sm:w-full">
      <div className="flex flex-wrap gap-2">
        <input
          type="email"
          multiple
          aria-label="E-mail"
          placeholder="name@example.com"
          // biome-ignore lint/a11y/noAutofocus: a person asked for this form
          autoFocus={isAsked}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="off"
          className="field w-64 max-w-full max-sm:w-full"
        />
        <Select
          aria-label="Role"
          value={role}
          options={[
            ['member', ROLE_NAMES.member],
            ['owner', ROLE_NAMES.owner],
          ]}
          onChange={setRole}
          className="field w-auto"
        />
        {hasMore && role === 'member' && (
          <input
            aria-label="Sees"
            placeholder="Limit, for example partner/"
            value={limit}
            onChange={(event) => setLimit(event.currentTarget.value)}
            autoComplete="off"
            className="field w-60 max-w-full max-sm:w-auto max-sm:flex-1 max-sm:basis-48"
          />
        )}
        {hasMore && groups.length > 0 && (
          <Select
            aria-label="Group"
            value={group}
            options={[['', 'No group'], ...groups.map(({ id, name }): [string, string] => [id, name])]}
            onChange={setGroup}
            className="field w-auto max-w-40"
          />
        )}
        <Button label="Invite" type="submit" look="primary" busy={invite.isPending} />
        {!hasMore && <Button label="Limit or group" look="quiet" onClick={() => setMore(true)} />}
      </div>
      <FailureNotice error={invite.error} act={`invite ${email}`} className="mt-2" />
      {member !== null && (
        <Notice tone="plain" className="mt-2 max-w-read">
          <p className="mb-2">
            {visibleText(member.username)} has this address. If they sign in another way now, this link gives
            the membership to the person who opens it. Signing keys do not move.
          </p>
          <Button label="Move the membership" busy={invite.isPending} onClick={() => submit(member.id)} />
        </Notice>
      )}
    </Form>
  )
}

const addressesIn = (text: string) => text.split(/[\s,;]+/).filter((address) => address !== '')

/** The member who has the invited address already. */
function memberOf(error: Error | null): { id: string; username: string } | null {
  const { id, username } = error === null ? {} : describeFailure(error).details
  return typeof id === 'string' && typeof username === 'string' ? { id, username } : null
}

/** A link is shown only once. */
export function InviteLink({ invitation }: { invitation: CreatedInvitation }) {
  return (
    <Notice tone="good" role="status" className="mb-4">
      <p className="mb-2">
        Send this link to <strong className="font-semibold">{invitation.email}</strong>. It is shown only now,
        works once, and until {dateTime(invitation.expires_at)}. Only a person who signs in with this e-mail
        can join.
      </p>
      <CommandLine what="the link" command={`${location.origin}${invitation.accept_path}`} />
    </Notice>
  )
}

export type InvitationsProps = { onCreated: OnCreated; onRevoked: (id: string) => void }

/** The invitations that are open, as rows below the members. */
export function OpenInvitations({ onCreated, onRevoked }: InvitationsProps) {
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
  return invitations.map(({ id, email, role, limited_to, groups, expires_at }) => (
    <li key={id} className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 sm:px-6">
      <span
        aria-hidden
        className="grid size-9 shrink-0 place-items-center rounded-full bg-sunken text-ink-soft"
      >
        <Mail size={14} />
      </span>
      <div className="min-w-0 flex-1 basis-32">
        <p className="text-ink-soft">
          <EmailText text={email} />
        </p>
        <p className="text-xs text-ink-soft">
          Invited as {role}, ends {ahead(expires_at)}
          {limited_to && `. ${limitSentence(limited_to)}`}
        </p>
      </div>
      <span className="ml-auto flex">
        <Button
          label="New link"
          aria-label={`New link for ${email}`}
          look="quiet"
          size="small"
          onClick={() =>
            renew.mutate(
              { email, role, ...(limited_to && { limited_to }), ...(groups && { groups }) },
              { onError: failing('create a new link'), onSuccess: onCreated },
            )
          }
        />
        <Button
          label="Withdraw"
          aria-label={`Withdraw the invitation of ${email}`}
          look="quiet"
          size="small"
          onClick={() => {
            revoke.mutate(
              { invitation_id: id },
              withToast('withdraw it', `Withdrew the invitation of ${email}.`),
            )
            onRevoked(id)
          }}
        />
      </span>
    </li>
  ))
}
