import { isProduction } from '@keyferry/contract/production'
import type { Bundle } from '../../../lib/calls/answers.ts'
import { useAnswers } from '../../../lib/calls/use-call.ts'
import { useMay } from '../../../lib/data/me.ts'
import { CrossingNotice } from '../../../ui/stricter-notice.tsx'
import type { MatrixRow } from '../matrix-rows.ts'

type CrossingRowsProps = { environments: readonly Bundle[]; rows: readonly MatrixRow[] }

/** Says that production shares secrets with another environment, of this application or not. */
export function Crossing({ environments, rows }: CrossingRowsProps) {
  const may = useMay()
  const inputs = environments.filter(isProduction).map(({ id }) => ({ bundle_id: id }))
  const shared = useAnswers('listSharedKeys', inputs).flat()
  const crossing = new Set(shared.flatMap(({ key_id, crosses }) => (crosses === true ? [key_id] : [])))
  const names = rows.filter(({ cells }) => cells.some(({ key_id }) => crossing.has(key_id ?? '')))
  return (
    <CrossingNotice of={names.map(({ name }) => ({ name, crosses: true }))} className="mt-3">
      {may('splitKey') && 'To separate them, open the row and choose “Give it its own value”.'}
    </CrossingNotice>
  )
}
