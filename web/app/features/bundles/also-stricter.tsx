import { useState } from 'react'
import { Link } from 'wouter'
import type { BundlePolicy } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { counted } from '../../lib/words/counted.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'

type AlsoStricterProps = { bundleId: string; also: BundlePolicy['also'] }

/** The other bundles in which the rules of a bundle count too, and how to exempt their values. */
export function AlsoStricter({ bundleId, also }: AlsoStricterProps) {
  return (
    <Notice tone="plain">
      <p>
        What you set here also applies to secret values that other bundles share. To exempt a bundle, give it
        its own value of a key. A key that is not secret is exempt too.
      </p>
      <ul aria-label="Bundles that become stricter" className="mt-2 max-h-80 overflow-y-auto">
        {also.map(({ bundle, secrets }) => (
          <li key={bundle.id} className="border-t border-line py-1.5 first:border-0">
            <p>
              Also{' '}
              <Link href={`/bundles/${bundle.id}`} className="link font-mono">
                <EntryName name={bundle.name} />
              </Link>
              : {counted(secrets, 'secret value')} {secrets === 1 ? 'becomes' : 'become'} stricter
            </p>
            <SharedSecrets bundleId={bundleId} other={bundle} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

type SharedSecretsProps = { bundleId: string; other: { id: string; name: string } }

/** Which secret keys two bundles share, each with a link to its page: loaded when a person opens it. */
function SharedSecrets(props: SharedSecretsProps) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="rounded-sm py-1 text-ink-soft">
        Show keys<span className="sr-only"> of {props.other.name}</span>
      </summary>
      {open && <SharedKeys {...props} />}
    </details>
  )
}

function SharedKeys({ bundleId, other }: SharedSecretsProps) {
  const own = useAnswer('getBundle', { bundle_id: bundleId })
  const shared = useAnswer('getBundle', { bundle_id: other.id })
  const here = new Set(own.data?.items.map(({ id }) => id))
  return (
    <Loaded query={shared} what="the keys">
      {({ items }) => (
        <ul className="flex flex-wrap gap-x-4 gap-y-1 py-1">
          {items
            .filter(({ id, is_secret }) => is_secret && id !== null && here.has(id))
            .map(({ id, name }) => (
              <li key={name}>
                <Link href={`/keys/${id}?bundle=${other.id}`} className="link font-mono">
                  <EntryName name={name} />
                </Link>
              </li>
            ))}
        </ul>
      )}
    </Loaded>
  )
}
