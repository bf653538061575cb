import { X } from 'lucide-react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { IconButton } from '../../ui/icon-button.tsx'

type ChosenBundlesProps = {
  bundles: readonly Bundle[]
  ids: readonly string[]
  onRemove: (id: string) => void
}

/** The bundles that a webhook is limited to, each to be removed. */
export function ChosenBundles({ bundles, ids, onRemove }: ChosenBundlesProps) {
  if (ids.length === 0) return null
  return (
    <ul aria-label="Chosen bundles" className="mb-2 divide-y divide-line rounded-md border border-line">
      {ids.map((id) => {
        const name = bundles.find((bundle) => bundle.id === id)?.name ?? 'a deleted bundle'
        return (
          <li key={id} className="flex items-center gap-2 pl-3">
            <span className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]">
              <EntryName name={name} />
            </span>
            <IconButton label={`Remove ${name}`} onClick={() => onRemove(id)}>
              <X aria-hidden size={16} />
            </IconButton>
          </li>
        )
      })}
    </ul>
  )
}
