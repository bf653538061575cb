import { useState } from 'react'
import { Link } from 'wouter'
import type { ApprovalKey, Me, Member, Role } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useApprovalKeys } from '../../lib/data/approval-keys.ts'
import { useKnownValues } from '../../lib/data/lists.ts'
import { ROLE_NAMES, useMay } from '../../lib/data/me.ts'
import { stillCurrent } from '../../lib/rules/still-current.ts'
import { counted } from '../../lib/words/counted.ts'
import { ApprovalKeyList } from '../../ui/approval-keys/key-list.tsx'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { EmailText } from '../../ui/email-text.tsx'
import { Face } from '../../ui/face.tsx'
import { GivenValues } from '../../ui/given-values.tsx'
import {
  ChevronDown,
  Circle,
  CircleCheck,
  Eye,
  FingerprintPattern,
  LogOut,
  UserMinus,
} from '../../ui/icons.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { Section } from '../../ui/section.tsx'
import { notify, withToast } from '../../ui/toast-store.ts'
import { Groups } from './groups.tsx'
import { type InvitationsProps, OpenInvitations } from './invitations.tsx'
import { LastingActs } from './lasting-acts.tsx'
import { LimitDialog, limitSentence } from './limits.tsx'

/** Who works in this workspace, in which role, and who is invited. */
export function Members({ me, ...links }: { me: Me } & InvitationsProps) {
  const may = useMay()
  const isOwner = may('changeMemberRole')
  const members = useAnswer('listMembers', isOwner ? { facts: '1' } : {})
  const keys = useApprovalKeys().data?.keys ?? []
  const [leaving, setLeaving] = useState<Member | null>(null)
  const [limiting, setLimiting] = useState<Member | null>(null)
  if (members.data === undefined) return <LoadingState query={members} what="the members" />
  const owners = members.data.filter(({ role }) => role === 'owner').length
  const isMe = (member: Member) => member.user_id === me.user_id
  const close = () => setLeaving(null)
  return (
    <>
      <ul aria-label="Members" className="divide-y divide-line rounded-lg bg-surface shadow-card">
        {members.data.map((member) => (
          <MemberRow
            key={member.user_id}
            member={member}
            isMe={isMe(member)}
            isLastOwner={member.role === 'owner' && owners === 1}
            keys={isOwner ? keys : []}
            onRemove={() => setLeaving(member)}
            onLimit={() => setLimiting(member)}
          />
        ))}
        {may('createInvitation') && <OpenInvitations {...links} />}
      </ul>
      <p className="mt-2 px-4 text-xs text-ink-soft sm:px-6">
        Owners change everything. Members read, approve, create, and change what they created.{' '}
        <Link href="/rules" className="link">
          Rules
        </Link>{' '}
        say more for each environment.{!isOwner && ' Only owners invite people and change roles.'}
      </p>
      {limiting !== null && (
        <LimitDialog
          member={members.data.find(({ user_id }) => user_id === limiting.user_id) ?? limiting}
          onClose={() => setLimiting(null)}
        />
      )}
      {leaving !== null &&
        (isMe(leaving) ? (
          <LeaveDialog me={me} onClose={close} />
        ) : (
          <RemoveMemberDialog member={leaving} onClose={close} />
        ))}
      {isOwner && <Groups members={members.data} />}
      {isOwner && <MembersKeys keys={keys} me={me} />}
      {isOwner && <LastingActs />}
    </>
  )
}

/** Everyone's keys that sign approvals here, for owners. */
function MembersKeys({ keys, me }: { keys: ApprovalKey[]; me: Me }) {
  if (keys.length === 0) return null
  return (
    <Section title="Signing keys" size="large" className="mt-8">
      <ApprovalKeyList keys={keys} me={me} namesPeople />
    </Section>
  )
}

type MemberRowProps = {
  member: Member
  isMe: boolean
  isLastOwner: boolean
  /** The signing keys of everyone; none if this person cannot see them. */
  keys: readonly ApprovalKey[]
  onRemove: () => void
  onLimit: () => void
}

function MemberRow({ member, isMe, isLastOwner, keys, onRemove, onLimit }: MemberRowProps) {
  const { user_id: id, username, email, holds, limited_to } = member
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 sm:px-6">
      <Face id={id} name={username} className="size-9 text-xs" />
      <div className="min-w-0 flex-1 basis-40">
        <p className="break-words">
          {username} {isMe && <Badge tone="accent">you</Badge>}
        </p>
        <p className="text-xs text-ink-soft">
          <EmailText text={email ?? 'E-mail not verified'} />
        </p>
        {limited_to && <p className="text-xs">{limitSentence(limited_to)}</p>}
      </div>
      {keys.length > 0 && (
        <KeyFact isThere={keys.some((key) => key.user_id === id && key.state === 'active')} />
      )}
      {holds !== undefined && holds.total > 0 && <HoldsFact {...holds} />}
      <span className="ml-auto text-right sm:w-28">
        <RoleMenu {...{ member, isMe, isLastOwner, onRemove, onLimit }} />
      </span>
    </li>
  )
}

function KeyFact({ isThere }: { isThere: boolean }) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1 text-xs sm:w-40',
        isThere ? 'text-ink-soft' : 'text-caution',
      )}
    >
      <FingerprintPattern aria-hidden size={16} />
      {isThere ? 'Signing key' : 'No signing key yet'}
    </span>
  )
}

function HoldsFact({ total, older }: { total: number; older: number }) {
  const text = `holds ${counted(total, 'value')}${older > 0 ? `, ${older} older` : ''}`
  return (
    <span className={classNames('text-xs sm:w-36', older > 0 ? 'text-caution' : 'text-ink-soft')}>
      {text}
    </span>
  )
}

/** The role, and behind it what the person can change: the role, or that the member leaves. The last owner stays. */
function RoleMenu({ member, isMe, isLastOwner, onRemove, onLimit }: Omit<MemberRowProps, 'keys'>) {
  const may = useMay()
  const setRole = useRole(member, isMe)
  const role = (each: Role): MenuItem => ({
    label: ROLE_NAMES[each],
    icon: each === member.role ? CircleCheck : Circle,
    isChosen: each === member.role,
    onPick: () => each !== member.role && setRole(each),
  })
  const items: MenuItem[] = isLastOwner
    ? []
    : [
        ...(may('changeMemberRole') ? [role('owner'), role('member')] : []),
        ...(may('changeMemberLimit') && member.role === 'member'
          ? [{ label: 'What they see…', icon: Eye, gap: true, onPick: onLimit }]
          : []),
        ...(member.may_remove
          ? [
              isMe
                ? { label: 'Leave the workspace', icon: LogOut, gap: true, onPick: onRemove }
                : { label: `Remove ${member.username}`, icon: UserMinus, gap: true, onPick: onRemove },
            ]
          : []),
      ]
  if (items.length === 0)
    return (
      <span className="text-sm text-ink-soft">
        {ROLE_NAMES[member.role]}
        {isLastOwner && may('changeMemberRole') && <span className="block text-xs">The only owner</span>}
      </span>
    )
  return (
    <Menu
      label={`Role of ${member.username}`}
      buttonLabel={`Role of ${member.username}: ${ROLE_NAMES[member.role]}`}
      items={items}
      className="inline-flex min-h-8 items-center gap-1.5 rounded-md px-2 text-sm text-ink-soft hover:bg-sunken hover:text-ink"
    >
      {ROLE_NAMES[member.role]}
      <ChevronDown aria-hidden size={14} />
    </Menu>
  )
}

function useRole(member: Member, isMe: boolean): (role: Role) => void {
  const { user_id } = member
  const change = useChange('changeMemberRole', { user_id }, { refreshes: ['listMembers'] })
  return (role) => {
    const undo = () => change.mutate({ role: member.role, expected: { role } })
    const isAllowed = !isMe || role === 'owner'
    change.mutate(
      { role, expected: { role: member.role } },
      withToast('change the role', `${member.username} is now ${role}.`, isAllowed ? undo : undefined),
    )
  }
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
  return useChange('removeMember', { user_id }, { refreshes: ['listMembers', 'listApprovalKeys'] })
}
