import { LogOut } from 'lucide-react'
import { useState } from 'react'
import type { Me, Member } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingState } from '../../ui/loaded.tsx'
import { Invitations } from './invitations.tsx'
import { LeaveDialog, RemoveMemberDialog } from './member-dialogs.tsx'
import { MemberRow } from './member-row.tsx'

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
        <Button className="mt-3" onClick={() => setLeaving(self)}>
          <LogOut aria-hidden size={16} /> Leave the workspace
        </Button>
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
