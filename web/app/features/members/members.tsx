import { useState } from 'react'
import type { Me, Member, Role } from '../../lib/calls/answers.ts'
import { shown, useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useApprovalKeys } from '../../lib/data/approval-keys.ts'
import { useKnownValues } from '../../lib/data/lists.ts'
import { ROLE_NAMES, useMay } from '../../lib/data/me.ts'
import { stillCurrent } from '../../lib/rules/still-current.ts'
import { ApprovalKeyList } from '../../ui/approval-keys/key-list.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { EmailText } from '../../ui/email-text.tsx'
import { GivenValues } from '../../ui/given-values.tsx'
import { LogOut, UserMinus } from '../../ui/icons.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { Select } from '../../ui/select.tsx'
import { notify, withToast } from '../../ui/toast-store.ts'
import { Invitations } from './invitations.tsx'
import { LastingActs } from './lasting-acts.tsx'

/** Who works in this workspace, in which role, and who is invited. */
export function Members({ me }: { me: Me }) {
  const members = useAnswer('listMembers', {})
  const may = useMay()
  const [leaving, setLeaving] = useState<Member | null>(null)
  if (members.data === undefined) return <LoadingState query={members} what="the members" />
  const owners = members.data.filter(({ role }) => role === 'owner').length
  const isLastOwner = (member: Member) => member.role === 'owner' && owners === 1
  const isMe = (member: Member) => member.user_id === me.user_id
  const self = members.data.find(isMe)
  const close = () => setLeaving(null)
  return (
    <>
      {!may('changeMemberRole') && (
        <p className="mb-3 text-ink-soft">Only owners invite people and change roles.</p>
      )}
      <Rows label="Members">
        {members.data.map((member) => (
          <MemberRow
            key={member.user_id}
            member={member}
            isMe={isMe(member)}
            isLastOwner={isLastOwner(member)}
            onRemove={() => setLeaving(member)}
          />
        ))}
      </Rows>
      {self?.may_remove === true && !isLastOwner(self) && (
        <Button label="Leave the workspace" className="mt-3" onClick={() => setLeaving(self)} icon={LogOut} />
      )}
      {leaving !== null &&
        (isMe(leaving) ? (
          <LeaveDialog me={me} onClose={close} />
        ) : (
          <RemoveMemberDialog member={leaving} onClose={close} />
        ))}
      {may('createInvitation') && <Invitations />}
      {me.role === 'owner' && <MembersKeys me={me} />}
      {me.role === 'owner' && <LastingActs />}
    </>
  )
}

/** Everyone's keys that sign approvals here, for owners. */
function MembersKeys({ me }: { me: Me }) {
  const keys = useApprovalKeys().data?.keys ?? []
  if (keys.length === 0) return null
  return (
    <Section title="Approval keys" size="large" className="mt-8">
      <ApprovalKeyList keys={keys} me={me} namesPeople />
    </Section>
  )
}

type MemberRowProps = {
  member: Member
  isMe: boolean
  isLastOwner: boolean
  onRemove: () => void
}

/** One member; an owner changes the role or removes the member, but never the last owner. */
function MemberRow({ member, isMe, isLastOwner, onRemove }: MemberRowProps) {
  const may = useMay()
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 basis-44">
        <p className="font-medium">
          {member.username} {isMe && <Badge tone="accent">you</Badge>}
        </p>
        <p className="text-sm text-ink-soft">
          <EmailText text={member.email ?? 'E-mail not verified'} />
        </p>
      </div>
      {may('changeMemberRole') ? (
        <div className="ml-auto flex items-center gap-3">
          {isLastOwner && <span className="text-xs text-ink-soft">The only owner</span>}
          <RoleSelect member={member} isMe={isMe} disabled={isLastOwner} />
          <IconButton
            label={`Remove ${member.username}`}
            disabled={isLastOwner}
            onClick={onRemove}
            icon={UserMinus}
            px={17}
          />
        </div>
      ) : (
        <Badge>{ROLE_NAMES[member.role]}</Badge>
      )}
    </li>
  )
}

type RoleSelectProps = Pick<MemberRowProps, 'member' | 'isMe'> & { disabled: boolean }

function RoleSelect({ member, isMe, disabled }: RoleSelectProps) {
  const { user_id } = member
  const change = useChange(
    'changeMemberRole',
    { user_id },
    {
      shows: shown('listMembers', {}, (members, { role }) =>
        members.map((each) => (each.user_id === user_id ? { ...each, role } : each)),
      ),
    },
  )
  const set = (role: Role) => {
    const undo = () => change.mutate({ role: member.role, expected: { role } })
    const isAllowed = !isMe || role === 'owner'
    change.mutate(
      { role, expected: { role: member.role } },
      withToast(`${member.username} is now ${role}.`, isAllowed ? undo : undefined),
    )
  }
  return (
    <Select
      aria-label={`Role of ${member.username}`}
      value={member.role}
      disabled={disabled}
      options={ROLE_NAMES}
      onChange={set}
      className="field w-auto disabled:opacity-60"
    />
  )
}

/** Asks before a member is removed, and ends in the values that they were given and that are still current. */
function RemoveMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const remove = useRemoveMember(member.user_id)
  const known = useKnownValues(member.user_id)
  const [isRemoved, setRemoved] = useState(false)
  const given = known === undefined ? null : stillCurrent(known)
  const end = () => {
    if (given === null || given.length > 0) return setRemoved(true)
    onClose()
    notify({ text: `Removed ${member.username}. They hold no current value.` })
  }
  if (isRemoved) {
    return (
      <GivenValues
        title={`Removed ${member.username}`}
        who="They were"
        id={member.user_id}
        known={known}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmChange
      title={`Remove ${member.username}?`}
      action="Remove member"
      change={remove}
      onDone={end}
      onClose={onClose}
    >
      <p>{member.username} can no longer see or approve anything in this workspace.</p>
      <p>
        {given === null || given.length === 0
          ? 'They keep the values that they received or typed.'
          : `They know ${given.length} ${given.length === 1 ? 'value that is' : 'values that are'} still current. The list follows.`}
      </p>
    </ConfirmChange>
  )
}

/** Asks before the person leaves the workspace. */
function LeaveDialog({ me, onClose }: { me: Me; onClose: () => void }) {
  const leave = useRemoveMember(me.user_id)
  return (
    <ConfirmChange
      title={`Leave ${me.tenant.name}?`}
      action="Leave"
      change={leave}
      // The address without a workspace leads to another one.
      onDone={() => location.assign('/')}
      onClose={onClose}
    >
      <p>
        You can no longer see or approve anything here. What you created stays. To come back, you need a new
        invitation.
      </p>
    </ConfirmChange>
  )
}

/** Remove a member, or leave the workspace. */
function useRemoveMember(user_id: string) {
  return useChange(
    'removeMember',
    { user_id },
    { shows: shown('listMembers', {}, (members) => members.filter((each) => each.user_id !== user_id)) },
  )
}
