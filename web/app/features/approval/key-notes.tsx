import { type FormatName, NAME_RULES } from '@keyferry/contract/env/format-names'
import type { RequestBundle, RequestBundleItem } from '../../lib/answers.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { firstKeys, isWhole, splitByAsking, unaskedOf } from './selection.ts'

const MOST_NAMES = 20

type KeyNotesProps = {
  bundle: RequestBundle
  templateKeys: readonly string[]
  format: FormatName | null
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

/** Where the selection differs from what the terminal requested, or leaves out what the bundle requires. */
export function KeyNotes({ bundle, templateKeys, format, selected, onSelect }: KeyNotesProps) {
  const { missing } = firstKeys(bundle.items, templateKeys)
  const { asked } = splitByAsking(bundle.items, templateKeys)
  const unasked = unaskedOf(bundle.items, templateKeys, selected)
  const broken = templateKeys.length === 0 ? [] : namesOf(asked.filter((item) => !isWhole(item)))
  const left = namesOf(bundle.items.filter(({ key, required }) => required && !selected.has(key)))
  const expired = namesOf(bundle.items.filter(({ key, due }) => due === 'expired' && selected.has(key)))
  const leaveOut = () => onSelect(new Set(namesOf(asked).filter((name) => selected.has(name))))
  return (
    <>
      {missing.length > 0 && (
        <Notice tone="caution">
          Requested, but not in this bundle: <Names names={missing} />
        </Notice>
      )}
      {broken.length > 0 && (
        <Notice tone="caution">
          Requested, but cannot be built, because the bundle lacks a part: <Names names={broken} />
        </Notice>
      )}
      {left.length > 0 && (
        <Notice tone="caution">
          Required, but not selected: <Names names={left} />
        </Notice>
      )}
      {expired.length > 0 && (
        <Notice tone="caution">
          The value has expired: <Names names={expired} />
        </Notice>
      )}
      {format !== null && <FormatNote format={format} names={[...selected]} />}
      {unasked.length > 0 && (
        <Notice tone="danger" role="alert">
          <p>
            Selected, but not requested: <Names names={unasked} />. The keyferry client refuses a delivery
            with more keys than it requested.
          </p>
          <Button size="small" className="mt-2" onClick={leaveOut}>
            Deselect {unasked.length === 1 ? 'it' : 'them'}
          </Button>
        </Notice>
      )}
    </>
  )
}

function FormatNote({ format, names }: { format: FormatName; names: readonly string[] }) {
  const misfits = names.filter((name) => NAME_RULES[format](name) !== null)
  if (misfits.length === 0) return null
  return (
    <Notice tone="caution">
      The terminal writes the format <span className="font-mono">{format}</span>, which cannot hold a variable
      of this name: <Names names={misfits} />. Unless the command adds a prefix to the names, the client
      refuses the delivery.
    </Notice>
  )
}

function namesOf(items: readonly RequestBundleItem[]): string[] {
  return items.map(({ key }) => key)
}

/** Names, as many as a note can hold. */
export function Names({ names }: { names: readonly string[] }) {
  const more = names.length - MOST_NAMES
  const shown = names
    .slice(0, MOST_NAMES)
    .map((name) => visibleText(name) || 'a name without a visible character')
  return (
    <>
      <span className="font-mono">{shown.join(', ')}</span>
      {more > 0 && ` and ${more} more`}
    </>
  )
}
