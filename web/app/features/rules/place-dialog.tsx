import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { ALL } from '../../lib/data/lists.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Chooses a bundle or a folder that has no rules yet. */
export function PlaceDialog({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const bundles = useAnswer('listBundles', ALL).data ?? []
  const folders = [...new Set(bundles.flatMap(({ name }) => foldersOf(name)))].toSorted()
  const options = [...folders.map((name) => ({ id: `folder=${name}`, name })), ...bundles.map(bundleOption)]
  return (
    <Dialog title="Rules for a bundle or folder" onClose={onClose}>
      <Combobox label="Bundle or folder" {...{ options, chosenId }} onChoose={setChosenId} />
      <div className="mt-6 flex justify-end gap-3">
        <Button label="Cancel" onClick={onClose} />
        <Button
          label="Show its rules"
          look="primary"
          disabled={chosenId === null}
          onClick={() => {
            onClose()
            navigate(`/rules?${chosenId}`)
          }}
        />
      </div>
    </Dialog>
  )
}

const bundleOption = ({ id, name }: { id: string; name: string }) => ({ id: `bundle=${id}`, name })

/** Every folder that a bundle is in. */
function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}
