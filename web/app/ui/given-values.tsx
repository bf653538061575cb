import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { EntryName } from './entry-name.tsx'
import { LoadingState } from './loaded.tsx'

type GivenValuesProps = {
  title: string
  /** Who received them, as the beginning of a sentence: `They were`, `It was`. */
  who: string
  /** Null while they are not known. */
  keys: readonly { id: string; name: string; version: number }[] | null
  query: ComponentProps<typeof LoadingState>['query']
  onClose: () => void
}

/** After a member or a machine is gone: the values that it received and that have not changed. */
export function GivenValues({ title, who, keys, query, onClose }: GivenValuesProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {keys === null ? (
        <LoadingState query={query} what="the values" />
      ) : (
        <>
          <p className="text-ink-soft">
            {who} given {keys.length} {keys.length === 1 ? 'value that is' : 'values that are'} still current.
            Change each of them where it comes from, then here:
          </p>
          <ul
            aria-label="Values that are still current"
            className="mt-3 max-h-80 divide-y divide-line overflow-auto rounded-lg border border-line"
          >
            {keys.map(({ id, name, version }) => (
              <li key={id}>
                <Link
                  href={`/keys/${id}`}
                  className="flex items-baseline gap-3 px-3 py-2 font-mono text-sm -outline-offset-2 hover:bg-sunken"
                >
                  <EntryName name={name} className="min-w-0 flex-1 [overflow-wrap:anywhere]" />
                  <span className="font-sans text-xs text-ink-soft">v{version}</span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="mt-6 flex justify-end">
        <Button label="Done" look="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}
