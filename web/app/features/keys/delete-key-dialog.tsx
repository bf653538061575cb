import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { BUNDLE } from '../../lib/calls/refreshes.ts'
import { useChange, without } from '../../lib/calls/use-call.ts'
import { counted } from '../../lib/words/counted.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { NameList } from '../../ui/name-list.tsx'

/** Asks before a key is deleted, and names the bundles that lose it. */
export function DeleteKeyDialog({ item, onClose }: { item: KeyWithBundles; onClose: () => void }) {
  const shows = without('listKeys', { uses: '1' }, item.id)
  const remove = useChange('deleteKey', { key_id: item.id }, { refreshes: BUNDLE, shows })
  const { bundles } = item
  return (
    <ConfirmChange
      title={`Delete ${item.name}?`}
      action="Delete key"
      change={remove}
      done={`Deleted ${item.name}.`}
      leadsTo="/"
      onClose={onClose}
    >
      <p>The value is lost for good. This cannot be undone.</p>
      {bundles.length > 0 && (
        <>
          <p>This changes {counted(bundles.length, 'bundle')}:</p>
          <NameList label="Bundles" names={bundles.map(({ name }) => name)} />
        </>
      )}
    </ConfirmChange>
  )
}
