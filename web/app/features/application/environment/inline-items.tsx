import type { Bundle } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-call.ts'
import type { MatrixRow } from '../matrix-rows.ts'
import { LegacyItems } from './legacy-items.tsx'

type InlineItemsProps = { environments: readonly Bundle[]; rows: readonly MatrixRow[] }

/** The inline items of the environments that have some. */
export function InlineItems({ environments, rows }: InlineItemsProps) {
  const having = environments.filter((_, column) =>
    rows.some(({ cells: { [column]: cell } }) => cell?.key_id === null && cell.state === 'own'),
  )
  return having.map((bundle) => <ItemsOf key={bundle.id} bundle={bundle} />)
}

function ItemsOf({ bundle }: { bundle: Bundle }) {
  const items = useAnswer('getBundle', { bundle_id: bundle.id }).data?.items ?? []
  const inline = items.filter(({ order }) => order === null)
  return inline.length === 0 ? null : <LegacyItems bundle={bundle} items={inline} />
}
