import { LogOut, UserMinus } from 'lucide-react'
import { useState } from 'react'
import type { Me, Member, Role } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { shown, useChange } from '../../lib/calls/use-change.ts'
import { ROLE_NAMES, roleNamed } from '../../lib/data/people.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { LoadingState } from '../../ui/loaded.tsx'
import { telling } from '../../ui/notify-failure.ts'
import { Select } from '../../ui/select.tsx'
import { Invitations } from './invitations.tsx'
import { LeaveDialog, RemoveMemberDialog } from './member-dialogs.tsx'

/** Who works in this workspace, in which role, and who is invited. */
export function Members({ me }: { me: Me }) {
  const members = useAnswer('listMembers', {})
  const isOwner = me.role === 'owner'
  const [leaving, setLeaving] = useState<Member | null>(null)
  if (members.data === undefined) return <LoadingState query={members} what="the members" />
  const owners = members.data.filter(({ role }) => role === 'owner').length
  const isLastOwner = (member: Member) => member.role === 'owner' && owners === 1
  const isMe = (member: Member) => member.user_id === me.user_id
  const self = members.data.find(isMe)
  const close = () => setLeaving(null)
  return (
    <section aria-labelledby="members">
      <h2 id="members" className="text-lg font-semibold">
        Members
      </h2>
      <p className="mt-1 mb-3 text-ink-soft">
        Owners change everything. Members read, approve, create, and change what they created.
        {!isOwner && ' Only owners invite people and change roles.'}
      </p>
      <ul aria-label="Members" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {members.data.map((member) => (
          <MemberRow
            key={member.user_id}
            member={member}
            isMe={isMe(member)}
            isOwner={isOwner}
            isLastOwner={isLastOwner(member)}
            onRemove={() => setLeaving(member)}
          />
        ))}
      </ul>
      {self !== undefined && !isLastOwner(self) && (
        <Button label="Leave the workspace" className="mt-3" onClick={() => setLeaving(self)} icon={LogOut} />
      )}
      {leaving !== null &&
        (isMe(leaving) ? (
          <LeaveDialog me={me} onClose={close} />
        ) : (
          <RemoveMemberDialog member={leaving} onClose={close} />
        ))}
      {isOwner && <Invitations />}
    </section>
  )
}

type MemberRowProps = {
  member: Member
  isMe: boolean
  isOwner: boolean
  isLastOwner: boolean
  onRemove: () => void
}

/** One member; an owner changes the role or removes the member, but never the last owner. */
function MemberRow({ member, isMe, isOwner, isLastOwner, onRemove }: MemberRowProps) {
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 basis-44">
        <p className="font-medium break-all">
          {member.username} {isMe && <Badge tone="accent">you</Badge>}
        </p>
        <p className="text-sm break-all text-ink-soft">{member.email ?? 'E-mail not verified'}</p>
      </div>
      {isOwner ? (
        <div className="ml-auto flex items-center gap-3">
          {isLastOwner && <span className="text-xs text-ink-soft">The only owner</span>}
          <RoleSelect member={member} disabled={isLastOwner} />
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

function RoleSelect({ member, disabled }: { member: Member; disabled: boolean }) {
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
    const undo = () => change.mutate({ role: member.role })
    change.mutate({ role }, telling(`${member.username} is now ${role}.`, undo))
  }
  return (
    <Select
      aria-label={`Role of ${member.username}`}
      value={member.role}
      disabled={disabled}
      options={ROLE_NAMES}
      onChange={(text) => set(roleNamed(text))}
      className="field w-auto disabled:opacity-60"
    />
  )
}
