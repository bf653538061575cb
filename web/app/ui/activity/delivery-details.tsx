import type { Delivery } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { counted } from '../../lib/words/counted.ts'
import { placeOf } from '../../lib/words/holder-text.ts'
import { dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { EntryLink } from '../entry-name.tsx'
import { Facts } from '../facts.tsx'

type DeliveryDetailsProps = {
  id: string
  /** Names of legacy items in it, which have no versions. */
  legacy?: readonly string[]
}

/** What an approval gave away: who approved what for whom, each value's version, and whether it was collected. */
export function DeliveryDetails({ id, legacy = [] }: DeliveryDetailsProps) {
  const { data, error } = useAnswer('getDelivery', { delivery_id: id })
  if (error !== null) return <p className="mb-2 text-sm">{describeFailure(error).message}</p>
  if (data === undefined) return <p className="mb-2 text-sm text-ink-soft">Loading the delivery…</p>
  return (
    <div className="mb-3 space-y-3">
      <Facts facts={{ ...whoGave(data), For: terminalText(data), Collected: STATES[data.state](data) }} />
      <DeliveredValues delivery={data} legacy={legacy} />
    </div>
  )
}

function whoGave({ approver, machine, created_at }: Delivery): Record<string, string> {
  const time = dateTime(created_at)
  if (approver !== null) return { 'Approved by': `${approver.name ?? 'a former user'}, ${time}` }
  return { 'Fetched by the machine': `${machine?.name ?? 'a deleted machine'}, ${time}` }
}

const STATES = {
  approved: () => 'Not confirmed: the terminal may have the values',
  held: () => 'Held back until it is released',
  void: () => 'No: these values never left the server',
  collected: ({ collected_at }: Delivery) => `Yes, ${collected_at === null ? '' : dateTime(collected_at)}`,
} as const

function terminalText({ label, via }: Delivery): string {
  const program = label === null ? '' : visibleText(label.program, 60)
  const parts = [
    placeOf(label) ?? 'a terminal that did not say its name',
    program === '' ? '' : `for ${program}`,
    via === null ? '' : `by keyferry ${via}`,
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function DeliveredValues({ delivery, legacy }: { delivery: Delivery; legacy: readonly string[] }) {
  const count = delivery.keys.length + legacy.length
  const isGiven = delivery.state === 'collected'
  const current = delivery.keys.filter(({ version, current_version }) => current_version === version).length
  return (
    <div>
      <p className="text-sm">
        <strong className="font-medium">{counted(count, 'value')}</strong> of{' '}
        <EntryLink href={`/bundles/${delivery.bundle.id}`} name={delivery.bundle.name} />, {current} of them{' '}
        {current === 1 ? 'is' : 'are'} still current
      </p>
      <ul
        aria-label={isGiven ? 'Delivered values' : 'Values'}
        className="mt-1.5 grid max-h-80 gap-x-6 overflow-auto text-sm sm:grid-cols-2"
      >
        {delivery.keys.map(({ id, name, version, current_version }) => (
          <li key={id} className="flex items-baseline justify-between gap-3 border-b border-line py-1">
            <EntryLink
              href={`/keys/${id}`}
              name={name}
              className="min-w-0 font-mono [overflow-wrap:anywhere] hover:underline"
            />
            <span className="shrink-0 text-xs text-ink-soft">
              v{version} ·{' '}
              {current_version === null
                ? 'variable deleted'
                : current_version === version
                  ? 'current'
                  : `now v${current_version}`}
            </span>
          </li>
        ))}
        {legacy.map((name) => (
          <li key={name} className="flex items-baseline justify-between gap-3 border-b border-line py-1">
            <span translate="no" className="min-w-0 font-mono">
              {name}
            </span>
            <span className="shrink-0 text-xs text-ink-soft">old item</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
