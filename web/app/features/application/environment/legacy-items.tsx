import { useState } from 'react'
import type { BundleItem } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { BUNDLE } from '../../../lib/calls/refreshes.ts'
import { useAnswer, useChange, useSteps } from '../../../lib/calls/use-call.ts'
import { useMay } from '../../../lib/data/me.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ConfirmChange } from '../../../ui/confirm-change.tsx'
import { Trash2 } from '../../../ui/icons.ts'
import { KeyValue } from '../../../ui/key-value.tsx'
import { Section } from '../../../ui/section.tsx'
import { notify, notifyFailure } from '../../../ui/toast-store.ts'
import { VirtualList } from '../../../ui/virtual-list.tsx'

type LegacyItemsProps = { bundle: { id: string; name: string }; items: readonly BundleItem[] }

/** Values in the bundle itself instead of the library, each with a button that makes it a library key. */
export function LegacyItems({ bundle: { id: bundleId, name: bundleName }, items }: LegacyItemsProps) {
  const may = useMay()
  const keys = useAnswer('listKeys', {}).data ?? []
  const convert = useConvert(bundleId)
  const [deleting, setDeleting] = useState<BundleItem | null>(null)
  // Converting the last item takes this list away, and with it the callbacks of a plain `mutate`.
  const start = ({ name }: BundleItem) =>
    convert
      .mutateAsync({ name, keyId: keys.find((key) => key.name === name)?.id ?? null })
      .then(() => notify({ text: `${name} is now a key of the library.` }), notifyFailure)
  return (
    <Section title={`Inline items of ${bundleName}`} count={items.length} className="mt-8">
      <p className="mt-1 mb-2 text-sm text-ink-soft">
        These values belong to {bundleName} only. As library keys you can share, order and rotate them in one
        place.
      </p>
      <VirtualList
        label={`Inline items of ${bundleName}`}
        items={items}
        keyOf={({ name }) => name}
        rowHeight={53}
        render={(item) => (
          <div className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-1 py-2 pr-2 pl-4">
            <span className="min-w-0 flex-1 basis-40 font-mono text-sm break-all">{item.name}</span>
            <KeyValue value={item.value} isSecret={item.is_secret} className="max-w-48" />
            {may('convertLegacyItem') && (
              <>
                <Button size="small" busy={convert.isPending} onClick={() => void start(item)}>
                  Convert<span className="sr-only"> {item.name} into a library key</span>
                </Button>
                <IconButton label={`Delete ${item.name}`} onClick={() => setDeleting(item)} icon={Trash2} />
              </>
            )}
          </div>
        )}
      />
      {deleting !== null && (
        <DeleteLegacyItemDialog bundleId={bundleId} name={deleting.name} onClose={() => setDeleting(null)} />
      )}
    </Section>
  )
}

/** Puts a library key in an item's place: the one of its name, or a new one with the item's value. */
function useConvert(bundle_id: string) {
  return useSteps(
    async ({ name, keyId }: { name: string; keyId: string | null }) => {
      const item = { bundle_id, key_name: name }
      if (keyId === null) return void (await call('convertLegacyItem', item))
      await call('attachKey', { bundle_id, key_id: keyId })
      return void (await call('deleteLegacyItem', item))
    },
    { refreshes: [...BUNDLE, 'listKeys'] },
  )
}

type DeleteLegacyItemDialogProps = { bundleId: string; name: string; onClose: () => void }

function DeleteLegacyItemDialog({ bundleId, name, onClose }: DeleteLegacyItemDialogProps) {
  const remove = useChange('deleteLegacyItem', { bundle_id: bundleId, key_name: name })
  return (
    <ConfirmChange title={`Delete ${name}?`} action="Delete item" change={remove} onClose={onClose}>
      <p>Its value is in no library key and is lost for good.</p>
    </ConfirmChange>
  )
}
