import { useState } from 'react'
import { keepText, keptText } from '../lib/page/kept.ts'
import { type GivenKey, givenKeys, type Known } from '../lib/rules/still-current.ts'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { EntryLink } from './entry-name.tsx'
import { Check } from './icons.ts'

type GivenValuesProps = {
  title: string
  /** Who received them, as the beginning of a sentence: `They were`, `It was`. */
  who: string
  /** The id of the person or program. */
  id: string
  known: readonly Known[] | undefined
  onClose: () => void
}

/** After a member or a program is gone: the values that it received. */
export function GivenValues({ title, who, id, known, onClose }: GivenValuesProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {known === undefined ? (
        <p role="status">Loading the values</p>
      ) : (
        <GivenList who={who} id={id} known={known} />
      )}
      <div className="mt-6 flex justify-end">
        <Button label="Done" look="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}

/** The values that a person or a program received or typed: what to change, and what was changed since. This browser
 * keeps the ticks. */
export function GivenList({ who, id, known }: { who: string; id: string; known: readonly Known[] }) {
  const keys = givenKeys(known)
  const left = keys.filter(({ isCurrent }) => isCurrent).length
  const how = keys.some(({ isTyped }) => isTyped) ? 'given, or typed,' : 'given'
  const stored = `keyferry.changed.${id}`
  const [ticked, setTicked] = useState(() => keptText(stored)?.split(' ') ?? [])
  const tick = (mark: string) => {
    const next = ticked.includes(mark) ? ticked.filter((each) => each !== mark) : [...ticked, mark]
    setTicked(next)
    keepText(stored, next.length === 0 ? null : next.join(' '))
  }
  return (
    <>
      <p className="text-sm text-ink-soft">
        {who} {how} {left} {left === 1 ? 'value that is' : 'values that are'} still current.{' '}
        {left > 0 && 'Change each of them where it comes from, then here:'}
      </p>
      <ul
        aria-label="Values that were given"
        className="mt-3 mb-2 max-h-80 divide-y divide-line overflow-auto rounded-lg border border-line"
      >
        {keys.map((key) => (
          <GivenRow
            key={key.id}
            given={key}
            isTicked={ticked.includes(markOf(key))}
            onTick={() => tick(markOf(key))}
          />
        ))}
      </ul>
    </>
  )
}

// A new value of the key is not ticked.
const markOf = ({ id, version }: GivenKey) => `${id}/${version}`

type GivenRowProps = { given: GivenKey; isTicked: boolean; onTick: () => void }

function GivenRow({ given, isTicked, onTick }: GivenRowProps) {
  const { id, name, version, is_secret, bundles, isCurrent, isTyped } = given
  return (
    <li className="px-3 py-2">
      <div className="flex items-baseline gap-2">
        <input
          type="checkbox"
          className="checkbox self-center"
          aria-label={`${name} is changed at its source`}
          checked={isTicked || !isCurrent}
          disabled={!isCurrent}
          onChange={onTick}
        />
        <EntryLink
          href={`/keys/${id}`}
          name={name}
          className="link min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]"
        />
        {isTyped && <Badge>typed</Badge>}
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
