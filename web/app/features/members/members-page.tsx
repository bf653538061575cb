import { useState } from 'react'
import type { Me, Member } from '../../lib/answers.ts'
import { useMe } from '../../lib/me.ts'
import { useMembers } from '../../lib/people.ts'
import { LoadingState } from '../../ui/loading-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Invitations } from './invitations.tsx'
import { MemberRow } from './member-row.tsx'
import { OneUser } from './one-user.tsx'
import { RemoveMemberDialog } from './remove-member-dialog.tsx'

/** Who works in this workspace, in which role, and who is invited. */
export function MembersPage() {
  const me = useMe()
  return (
    <>
      <PageHeading
        title="Members"
        intro={
          me.data === undefined || me.data.auth_mode === 'local' ? undefined : (
            <>
              Who can approve for <strong className="font-medium text-ink">{me.data.tenant.name}</strong>.
              Owners change everything; members read, create and approve.
            </>
          )
        }
      />
      {me.data === undefined ? (
        <LoadingState error={me.error} onRetry={() => void me.refetch()} what="the members" />
      ) : me.data.auth_mode === 'local' ? (
        <OneUser />
      ) : (
        <Members me={me.data} />
      )}
    </>
  )
}

function Members({ me }: { me: Me }) {
  const members = useMembers()
  const isOwner = me.role === 'owner'
  const [removing, setRemoving] = useState<Member | null>(null)
  if (members.data === undefined)
    return <LoadingState error={members.error} onRetry={() => void members.refetch()} what="the members" />
  const owners = members.data.filter(({ role }) => role === 'owner').length
  return (
    <>
      <ul aria-label="Members" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {members.data.map((member) => (
          <MemberRow
            key={member.user_id}
            member={member}
            isMe={member.user_id === me.user_id}
            isOwner={isOwner}
            isLastOwner={member.role === 'owner' && owners === 1}
            onRemove={() => setRemoving(member)}
          />
        ))}
      </ul>
      {removing !== null && <RemoveMemberDialog member={removing} onClose={() => setRemoving(null)} />}
      {isOwner ? (
        <Invitations />
      ) : (
        <Notice tone="plain" className="mt-4">
          Only owners invite people and change roles.
        </Notice>
      )}
    </>
  )
}
