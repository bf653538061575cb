import type { RequestBundle } from '../../../lib/calls/answers.ts'
import { joined } from '../../../lib/words/counted.ts'
import { dateTime } from '../../../lib/words/time.ts'
import { Globe, TriangleAlert, Users } from '../../../ui/icons.ts'
import { Fact } from '../card.tsx'
import type { LeavingOut } from '../offer.ts'
import { asksOthers, type Demands } from '../return-plan.ts'
import { ShownName } from '../shown-names.tsx'
import { LeaveOut } from './leave-out.tsx'

type NoticesProps = { rules: Demands | null; bundleName: string; leaveOut: LeavingOut | null }

/** Who else decides, or for whom this person decides. */
export function VouchNotices({ rules, bundleName, leaveOut }: NoticesProps) {
  if (rules?.vouch) return <WhoAsks vouch={rules.vouch} />
  return rules !== null && asksOthers(rules) ? <OthersDecide {...{ rules, bundleName, leaveOut }} /> : null
}

type OthersProps = Omit<NoticesProps, 'rules'> & { rules: Demands }

function OthersDecide({ rules: { why_not: whyNot }, bundleName, leaveOut }: OthersProps) {
  const { code, error = '', names = [], who = [] } = whyNot ?? {}
  return (
    <div role="alert">
      <Fact
        Icon={Users}
        small="They see your name and approve while your terminal waits."
        action={<LeaveOut leaveOut={leaveOut} />}
      >
        {names.length > 0 ? (
          <strong>{error}.</strong>
        ) : (
          <strong>
            {code === 'named_approves' ? 'Only the people named in the rules' : 'Only owners'} may approve{' '}
            <ShownName name={bundleName} />.
          </strong>
        )}{' '}
        If you just ran this command yourself, ask {joined(who, 'or')}.
      </Fact>
    </div>
  )
}

function WhoAsks({ vouch }: { vouch: NonNullable<RequestBundle['vouch']> }) {
  const { person, email, member_since: since, is_new_network: isNew, counts } = vouch
  return (
    <div role="status">
      <Fact
        Icon={Users}
        small={
          <>
            <bdi>{email ?? 'E-mail not verified'}</bdi>
            {since !== null && ` · member since ${dateTime(since)}`}
          </>
        }
      >
        <strong>
          <ShownName name={person.name ?? 'A former member'} />
        </strong>{' '}
        says that this is their terminal. Approve only if you know why they need it.
      </Fact>
      {isNew && (
        <Fact Icon={Globe}>
          <strong>They have not asked from this network before.</strong>
        </Fact>
      )}
      {!counts && (
        <Fact Icon={TriangleAlert}>
          This does not count under the rules of these variables: the approval must return to their terminal.
        </Fact>
      )}
    </div>
  )
}
