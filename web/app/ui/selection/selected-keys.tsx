import type { Key } from '../../lib/calls/answers.ts'
import type { useSelection } from '../../lib/page/selection.ts'
import { deferred } from '../deferred.tsx'
import { SelectionBar } from './selection-bar.tsx'

// Most visits select nothing.
const KeyActions = deferred('KeyActions', () => import('./key-actions.tsx'))

type SelectedKeysProps = {
  selection: ReturnType<typeof useSelection>
  shown: readonly string[]
  /** The library; undefined until it is known. */
  library: readonly Key[] | undefined
  bundle?: { id: string; name: string }
}

/** The bar above a list of keys, with what can be done with the selected ones. */
export function SelectedKeys({ selection, shown, library, bundle }: SelectedKeysProps) {
  const { chosen, clear } = selection
  const keys = library?.filter(({ id }) => chosen.has(id)) ?? []
  return (
    <SelectionBar selection={selection} shown={shown}>
      {keys.length === chosen.size && <KeyActions keys={keys} bundle={bundle ?? null} onDone={clear} />}
    </SelectionBar>
  )
}
