import { isProduction } from '@keyferry/contract/production'
import { environmentKind } from '@keyferry/contract/siblings'
import { Link } from 'wouter'
import type { Bundle, Use } from '../../lib/calls/answers.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { counted } from '../../lib/words/counted.ts'
import { ago, shortAge } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'
import { DUE_TEXT, DueDot, type DueKind } from '../../ui/due-dot.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { Spark } from '../../ui/spark.tsx'

const CELL =
  'grid min-h-13 items-center gap-x-2 -outline-offset-2 hover:bg-sunken/60 max-sm:min-h-11 max-sm:grid-cols-[auto_1fr] ' +
  'max-sm:content-center max-sm:px-3 max-sm:pb-2 sm:px-4 sm:max-lg:grid-cols-[2.25rem_1fr] sm:max-lg:py-1.5 ' +
  'lg:grid-cols-[2.25rem_7.5rem_1fr]'
const SPARK = 'h-5 max-sm:col-span-2 max-sm:row-start-2 max-sm:h-4 max-sm:w-18 sm:max-lg:w-20 lg:w-30'

const LAST = 'inline-flex items-center gap-1.5 text-xs whitespace-nowrap text-ink-faint sm:max-lg:col-span-2'

type CellFocus = { 'data-cell': string; tabIndex: number }

type BundleCellProps = {
  bundle: Bundle
  /** Of bundles by their ids; undefined until it is known. */
  uses: ReadonlyMap<string, Use> | undefined
  focus: CellFocus
}

/** One bundle in the matrix: how many keys it has, its use, and what needs a look or else the last fetch. */
export function BundleCell({ bundle, uses, focus }: BundleCellProps) {
  const { id, name, key_count } = bundle
  const mark = markOf(bundle)
  const use = uses?.get(id)
  const [short, long] = uses === undefined ? ['', ''] : lastFetch(use)
  const production = isProduction(bundle) ? 'production' : ''
  const label = [`${name}: ${counted(key_count, 'variable')}`, mark?.text, long, production].filter(Boolean)
  return (
    <Link {...focus} href={applicationHref(name)} className={CELL}>
      <span className="sr-only">{label.join(', ')}</span>
      <span aria-hidden className={classNames('font-medium', short === 'never' && 'text-ink-faint')}>
        {key_count}
      </span>
      <Spark days={use?.days ?? NO_DAYS} className={SPARK} />
      <span aria-hidden className={LAST}>
        {mark === null ? (
          short
        ) : (
          <span className={classNames('inline-flex items-center gap-1.5 font-medium', DUE_TEXT[mark.kind])}>
            <DueDot kind={mark.kind} /> {mark.text}
          </span>
        )}
        {isProduction(bundle) && environmentKind(name) !== 'prod' && (
          <EnvChip name="production" isProduction isMention />
        )}
      </span>
    </Link>
  )
}

const NO_DAYS: readonly number[] = Array.from({ length: 30 }, () => 0)

function markOf({ marks }: Bundle): { kind: DueKind; text: string } | null {
  if (marks === undefined) return null
  if (marks.expired > 0) return { kind: 'expired', text: `${marks.expired} expired` }
  return marks.due > 0 ? { kind: 'due', text: `${marks.due} due` } : null
}

function lastFetch(use: Use | undefined): [short: string, long: string] {
  if (use === undefined) return ['never', 'never fetched']
  return [shortAge(use.last_at), `last fetched ${ago(use.last_at)}`]
}

type MissingCellProps = { name: string; focus: CellFocus; onCreate: (name: string) => void }

/** An environment that an application does not have. */
export function MissingCell({ name, focus, onCreate }: MissingCellProps) {
  return (
    <button
      {...focus}
      type="button"
      aria-label={`Create ${name}`}
      title={`Create ${name}`}
      onClick={() => onCreate(name)}
      className="flex min-h-13 w-full items-center px-4 text-ink-faint -outline-offset-2 hover:bg-sunken/60 max-sm:min-h-11 max-sm:items-start max-sm:px-3"
    >
      –
    </button>
  )
}
