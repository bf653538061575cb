import type { LibraryMove } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { movedText } from './moved.ts'

const BUNDLE_NOTES = { create: 'new', left_out: 'exists here: left out', rename: '', share: '' } as const

/** What a move would do, and the button that does exactly that. */
export function MovePlan({ plan, busy, onMove }: { plan: LibraryMove; busy: boolean; onMove: () => void }) {
  const { bundles, keys } = plan
  const leftOut = bundles.filter(({ action }) => action === 'left_out')
  const hasWork = [...bundles, ...keys].some(({ action }) => action === 'create' || action === 'rename')
  return (
    <section aria-labelledby="move-plan" className="space-y-4">
      <h2 id="move-plan" className="text-sm font-semibold">
        {hasWork
          ? `${movedText(plan)} arrive`
          : 'Nothing arrives: this workspace already has these bundles and keys'}
      </h2>
      {leftOut.length > 0 && (
        <Notice tone="caution" role="status">
          This workspace already has a bundle of the same name, so the move skips the one in the file. To move
          it too, rename one of the two, export again, and choose the new file.
        </Notice>
      )}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface text-sm">
        {bundles.map(({ name, action, key_count: count }) => (
          <li key={name} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
            <code className="min-w-0 break-words">{name}</code>
            <span className="text-ink-soft">
              {counted(count, 'key')}, {BUNDLE_NOTES[action]}
            </span>
          </li>
        ))}
      </ul>
      <KeyNotes keys={keys} />
      {hasWork && (
        <Button
          label={busy ? 'Moving…' : `Move ${movedText(plan)}`}
          look="primary"
          size="large"
          busy={busy}
          onClick={onMove}
        />
      )}
    </section>
  )
}

const KEY_NOTES = [
  ['rename', 'Renamed', 'These names exist here with other values. Programs get the same names as before.'],
  ['share', 'Shared', 'This workspace has these keys with the same values.'],
  ['left_out', 'Left out', 'The names exist here, or only bundles that are left out use these keys.'],
] as const

function KeyNotes({ keys }: Pick<LibraryMove, 'keys'>) {
  return KEY_NOTES.map(([action, title, why]) => {
    const some = keys.filter((key) => key.action === action)
    if (some.length === 0) return null
    return (
      <details key={action} className="text-sm">
        <summary>
          {title}: {counted(some.length, 'key')}
        </summary>
        <p className="mt-1 text-ink-soft">{why}</p>
        <ul className="mt-1 pl-5">
          {some.map(({ name, key_name }) => (
            <li key={name}>
              <code className="break-words">{name === key_name ? name : `${name} → ${key_name}`}</code>
            </li>
          ))}
        </ul>
      </details>
    )
  })
}
