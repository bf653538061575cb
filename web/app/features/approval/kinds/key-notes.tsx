import type { RequestBundleItem } from '../../../lib/calls/answers.ts'
import { Button } from '../../../ui/button.tsx'
import { ClockAlert, TriangleAlert } from '../../../ui/icons.ts'
import { Fact } from '../card.tsx'
import { Names } from '../shown-names.tsx'
import { firstKeys, isWhole, type KeySelection, splitByAsking, unaskedOf } from './selection.ts'

type KeyNotesProps = KeySelection & {
  /** Requested names that the bundle lacks, whose values the approver may type. */
  typeable: readonly string[]
  onSelect: (selected: ReadonlySet<string>) => void
}

/** Where the selection differs from what the terminal requested, or leaves out what the bundle requires. */
export function KeyNotes({ typeable, onSelect, ...selection }: KeyNotesProps) {
  const { items, templateKeys, selected } = selection
  const { asked } = splitByAsking(selection)
  const unasked = unaskedOf(selection)
  const missing = firstKeys(selection).missing.filter((name) => !typeable.includes(name))
  const broken = templateKeys.length === 0 ? [] : asked.filter((item) => !isWhole(item))
  const expired = 'The value has expired'
  const notes: [text: string, names: string[]][] = [
    ['Requested, but not in this bundle', missing],
    ['Requested, but cannot be built, because the bundle lacks a part', namesOf(broken)],
    [
      'Required, but not selected',
      namesOf(items.filter(({ key, required }) => required && !selected.has(key))),
    ],
    [expired, namesOf(items.filter(({ key, due }) => due === 'expired' && selected.has(key)))],
  ]
  const leaveOut = () => onSelect(new Set(namesOf(asked).filter((name) => selected.has(name))))
  return (
    <>
      {notes.map(
        ([text, names]) =>
          names.length > 0 && (
            <Fact
              key={text}
              tone={text === expired ? 'danger' : 'plain'}
              Icon={text === expired ? ClockAlert : TriangleAlert}
            >
              {text}: <Names names={names} />
            </Fact>
          ),
      )}
      {unasked.length > 0 && (
        <div role="alert">
          <Fact
            tone="danger"
            Icon={TriangleAlert}
            action={
              <Button
                label={`Deselect ${unasked.length === 1 ? 'it' : 'them'}`}
                size="small"
                onClick={leaveOut}
              />
            }
          >
            Selected, but not requested: <Names names={unasked} />. The keyferry client refuses a delivery
            with more than it requested.
          </Fact>
        </div>
      )}
    </>
  )
}

function namesOf(items: readonly RequestBundleItem[]): string[] {
  return items.map(({ key }) => key)
}
