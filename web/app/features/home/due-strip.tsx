import { Link } from 'wouter'
import { type DatedKey, daysUntil, dueKind, dueWhen } from '../../lib/data/expiry.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { counted } from '../../lib/words/counted.ts'
import { classNames } from '../../ui/class-names.ts'
import { DateMark, DateTicks, SHOWN_DAYS } from '../../ui/date-axis.tsx'
import { DUE_TEXT, DueDot } from '../../ui/due-dot.tsx'
import { EntryLink } from '../../ui/entry-name.tsx'

const NEAREST = 3

/** What expires or should be replaced in the next 90 days. */
export function DueStrip({ keys }: { keys: readonly DatedKey[] }) {
  return (
    <section aria-label="What expires" className="mb-4 rounded-lg bg-surface p-4 shadow-hairline sm:px-6">
      <ul className="flex flex-wrap items-center gap-x-6 gap-y-1 text-xs max-sm:grid max-sm:gap-y-2">
        {keys.slice(0, NEAREST).map((key) => (
          <li key={key.id} className="flex items-center gap-x-1.5 max-sm:flex-wrap">
            <DueDot kind={dueKind(key)} />
            <EntryLink
              href={`/keys/${key.id}`}
              name={variableOf(key)}
              className="font-mono hover:underline"
            />
            <span className="text-ink-faint">{placesOf(key)}</span>
            <span className={classNames('whitespace-nowrap', DUE_TEXT[dueKind(key)])}>{dueWhen(key)}</span>
          </li>
        ))}
        <li className="sm:ml-auto">
          <Link href="/expiry" className="font-medium hover:underline">
            All dates
          </Link>
        </li>
      </ul>
      <svg role="img" aria-label={summary(keys)} className="mt-3 hidden h-15 w-full sm:block">
        <line x1="5%" x2="100%" y1="26" y2="26" className="stroke-line" />
        <DateTicks from={22} to={30} labelsAt={56} />
        {keys.filter(isShown).map((key) => (
          <DateMark key={key.id} days={daysUntil(key)} y={26} kind={dueKind(key)} />
        ))}
      </svg>
    </section>
  )
}

const isShown = (key: DatedKey) => daysUntil(key) <= SHOWN_DAYS

/** The first bundle that has the key, and how many more there are. */
function placesOf({ bundles = [] }: DatedKey): string {
  const [first, ...more] = bundles
  if (first === undefined) return 'in no bundle'
  return more.length === 0 ? first.name : `${first.name} and ${more.length} more`
}

function summary(keys: readonly DatedKey[]): string {
  const expired = keys.filter(({ due }) => due === 'expired').length
  const rest = keys.filter(isShown).length - expired
  return `In the next ${SHOWN_DAYS} days: ${counted(expired, 'value')} expired, ${rest} due`
}
