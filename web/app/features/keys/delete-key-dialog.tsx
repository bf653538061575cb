import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { BUNDLE } from '../../lib/calls/refreshes.ts'
import { useChange, without } from '../../lib/calls/use-change.ts'
import { counted } from '../../lib/words/counted.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'

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
      leadsTo="/keys"
      onClose={onClose}
    >
      <p>The value is lost for good. This cannot be undone.</p>
      {bundles.length > 0 && (
        <>
          <p>This changes {counted(bundles.length, 'bundle')}:</p>
          <ul className="max-h-40 list-disc overflow-auto pl-5 font-mono text-sm text-ink">
            {bundles.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmChange>
  )
}
