import type { ReactNode } from 'react'
import { told } from '../../lib/activity/told.ts'
import type { AuditEntry } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { dateTime } from '../../lib/words/time.ts'
import { GivenList } from '../given-values.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { Facts } from './facts.tsx'

/** What is known of an event beyond its line. Of a delivery: every value that it gave away. */
export function EventDetails({ entry }: { entry: AuditEntry }) {
  const delivery = entry.data['delivery']
  return (
    <div className="border-t border-line bg-sunken/40 px-4 py-3 sm:pl-10">
      {typeof delivery === 'string' && <DeliveryDetails id={delivery} legacy={told(entry).names('names')} />}
      {entry.action === 'member.removed' && <HeldValues userId={entry.target.id} />}
      <Facts facts={factsOf(entry)} />
    </div>
  )
}

function factsOf(entry: AuditEntry): [string, ReactNode][] {
  const { seq, id, at, origin, action } = entry
  const { names, text, origin: from } = told(entry)
  const elsewhere = text('changed_elsewhere_at')
  const browser = origin?.['user_agent'] === undefined ? null : browserName(origin['user_agent'])
  const all: [string, ReactNode][] = [
    [
      'Last change',
      elsewhere === null ? '' : `${dateTime(elsewhere)} on the other server, according to the moved file`,
    ],
    ['Names', action.startsWith('delivery.') ? '' : names('names').join(', ')],
    ['From', [from('ip'), browser].filter((part) => part !== null).join(', ')],
    ['Terminal', [from('requester_ip'), from('os')].filter((part) => part !== null).join(', ')],
    ['When', dateTime(at)],
    ['Entry', `${seq === null ? 'not sealed yet' : seq.toLocaleString()} · ${action} · ${id}`],
  ]
  return all.filter(([, fact]) => fact !== '')
}

/** Which values a person was given. */
function HeldValues({ userId }: { userId: string }) {
  const holdings = useAnswer('listHoldings', { user_id: userId, limit: 1_000 }).data
  if (holdings === undefined) return null
  if (holdings.length === 0) return <p className="mb-2 text-sm">They hold no value.</p>
  return <GivenList who="They were" holdings={holdings} />
}
