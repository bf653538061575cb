import { UserMinus } from 'lucide-react'
import type { Member, Role } from '../../lib/calls/answers.ts'
import { shown, useChange } from '../../lib/calls/use-change.ts'
import { ROLE_NAMES, roleNamed } from '../../lib/data/people.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { telling } from '../../ui/notify-failure.ts'
import { Select } from '../../ui/select.tsx'

type MemberRowProps = {
  member: Member
  isMe: boolean
  isOwner: boolean
  isLastOwner: boolean
  onRemove: () => void
}

/** One member; an owner changes the role or removes the member, but never the last owner. */
export function MemberRow({ member, isMe, isOwner, isLastOwner, onRemove }: MemberRowProps) {
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1 basis-44">
        <p className="font-medium break-all">
          {member.username} {isMe && <Badge tone="accent">you</Badge>}
        </p>
        <p className="text-sm break-all text-ink-soft">{member.email}</p>
      </div>
      {isOwner ? (
        <div className="ml-auto flex items-center gap-3">
          {isLastOwner && <span className="text-xs text-ink-soft">The only owner</span>}
          <RoleSelect member={member} disabled={isLastOwner} />
          <IconButton label={`Remove ${member.username}`} disabled={isLastOwner} onClick={onRemove}>
            <UserMinus aria-hidden size={17} />
          </IconButton>
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
      options={Object.entries(ROLE_NAMES)}
      onChange={(text) => set(roleNamed(text))}
      className="field w-auto disabled:opacity-60"
    />
  )
}
