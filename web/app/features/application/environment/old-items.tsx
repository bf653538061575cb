import type { Bundle } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { BUNDLE } from '../../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../../lib/calls/use-call.ts'
import { useMay } from '../../../lib/data/me.ts'
import { counted } from '../../../lib/words/counted.ts'
import { Button } from '../../../ui/button.tsx'
import { failing, notify } from '../../../ui/toast-store.ts'
import type { MatrixRow } from '../matrix-rows.ts'

type OldItemsProps = { environments: readonly Bundle[]; rows: readonly MatrixRow[] }

/** What the environments contain outside of the library, because the old endpoints stored it. */
export function OldItems({ environments, rows }: OldItemsProps) {
  const having = environments.filter((_, column) =>
    rows.some(({ cells: { [column]: cell } }) => cell?.key_id === null && cell.state === 'own'),
  )
  return having.map((bundle) => <OldItemsOf key={bundle.id} bundle={bundle} />)
}

function OldItemsOf({ bundle }: { bundle: Bundle }) {
  const may = useMay()
  const items = useAnswer('getBundle', { bundle_id: bundle.id }).data?.items ?? []
  const names = items.filter(({ order }) => order === null).map(({ name }) => name)
  const convert = useSteps(
    async () => {
      for (const key_name of names) await call('convertLegacyItem', { bundle_id: bundle.id, key_name })
    },
    { refreshes: [...BUNDLE, 'listKeys'] },
  )
  // The last step takes this line away, and with it the callbacks of a plain `mutate`.
  const start = () =>
    convert
      .mutateAsync(undefined)
      .then(() => notify({ text: `${bundle.name} has no old items now.` }), failing('convert the old items'))
  return names.length === 0 ? null : (
    <p className="mt-8 flex flex-wrap items-center gap-3 text-sm text-ink-soft">
      <span>
        <bdi>{bundle.name}</bdi> has {counted(names.length, 'old item')}: {names.join(', ')}.
      </span>
      {may('convertLegacyItem') && (
        <Button label="Convert" size="small" busy={convert.isPending} onClick={() => void start()} />
      )}
    </p>
  )
}
