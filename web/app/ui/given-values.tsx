import type { ComponentProps } from 'react'
import type { Holding } from '../lib/calls/answers.ts'
import { type GivenKey, givenKeys } from '../lib/rules/still-current.ts'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { EntryLink } from './entry-name.tsx'
import { Check } from './icons.ts'
import { Loaded } from './loaded.tsx'

type GivenValuesProps = {
  title: string
  /** Who received them, as the beginning of a sentence: `They were`, `It was`. */
  who: string
  holdings: ComponentProps<typeof Loaded<readonly Holding[]>>['query']
  onClose: () => void
}

/** After a member or a machine is gone: the values that it received. */
export function GivenValues({ title, who, holdings, onClose }: GivenValuesProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded query={holdings} what="the values">
        {(given) => <GivenList who={who} holdings={given} />}
      </Loaded>
      <div className="mt-6 flex justify-end">
        <Button label="Done" look="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}

/** The values that a person or a machine received: what to change, and what was changed since. */
export function GivenList({ who, holdings }: { who: string; holdings: readonly Holding[] }) {
  const keys = givenKeys(holdings)
  const left = keys.filter(({ isCurrent }) => isCurrent).length
  return (
    <>
      <p className="text-sm text-ink-soft">
        {who} given {left} {left === 1 ? 'value that is' : 'values that are'} still current.{' '}
        {left > 0 && 'Change each of them where it comes from, then here:'}
      </p>
      <ul
        aria-label="Values that were given"
        className="mt-3 mb-2 max-h-80 divide-y divide-line overflow-auto rounded-lg border border-line"
      >
        {keys.map((key) => (
          <GivenRow key={key.id} given={key} />
        ))}
      </ul>
    </>
  )
}

function GivenRow({ given: { id, name, version, is_secret, bundles, isCurrent } }: { given: GivenKey }) {
  return (
    <li className="px-3 py-2">
      <div className="flex items-baseline gap-2">
        <EntryLink
          href={`/keys/${id}`}
          name={name}
          className="link min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]"
        />
        {!is_secret && <Badge>not secret</Badge>}
        {isCurrent ? (
          <span className="text-xs text-ink-soft">v{version}</span>
        ) : (
          <Badge tone="good">
            <Check aria-hidden size={12} /> changed since
          </Badge>
        )}
      </div>
      {bundles.length > 0 && (
        <p className="mt-0.5 flex flex-wrap gap-x-2 gap-y-1 text-xs text-ink-soft">
          <span>used in</span>
          {bundles.map((bundle) =>
            bundle.is_production ? (
              <Badge key={bundle.id} tone="danger">
                {bundle.name} · production
              </Badge>
            ) : (
              <span key={bundle.id} className="font-mono [overflow-wrap:anywhere]">
                {bundle.name}
              </span>
            ),
          )}
        </p>
      )}
    </li>
  )
}
