import { NAME_RULES } from '@keyferry/contract/env/format-names'
import type { RequestBundleItem } from '../../../lib/calls/answers.ts'
import { Button } from '../../../ui/button.tsx'
import { ClockAlert, TriangleAlert } from '../../../ui/icons.ts'
import { Fact } from '../card.tsx'
import { Names } from '../shown-names.tsx'
import { formatOf } from './requested-format.ts'
import { firstKeys, isWhole, type KeySelection, splitByAsking, unaskedOf } from './selection.ts'

type KeyNotesProps = KeySelection & {
  /** As the client reports it: `keyferry pull --format fish` */
  command: string | undefined
  /** Requested names that the bundle lacks, whose values the approver may type. */
  typeable: readonly string[]
  onSelect: (selected: ReadonlySet<string>) => void
}

/** Where the selection differs from what the terminal requested, or leaves out what the bundle requires. */
export function KeyNotes({ command, typeable, onSelect, ...selection }: KeyNotesProps) {
  const { items, templateKeys, selected } = selection
  const { asked } = splitByAsking(selection)
  const unasked = unaskedOf(selection)
  const missing = firstKeys(selection).missing.filter((name) => !typeable.includes(name))
  const broken = templateKeys.length === 0 ? [] : asked.filter((item) => !isWhole(item))
  const cautions = [
    ['Requested, but not in this bundle', missing, 'caution', TriangleAlert],
    [
      'Requested, but cannot be built, because the bundle lacks a part',
      namesOf(broken),
      'caution',
      TriangleAlert,
    ],
    [
      'Required, but not selected',
      namesOf(items.filter(({ key, required }) => required && !selected.has(key))),
      'caution',
      TriangleAlert,
    ],
    [
      'The value has expired',
      namesOf(items.filter(({ key, due }) => due === 'expired' && selected.has(key))),
      'danger',
      ClockAlert,
    ],
  ] as const
  const leaveOut = () => onSelect(new Set(namesOf(asked).filter((name) => selected.has(name))))
  return (
    <>
      {cautions.map(
        ([text, names, tone, Icon]) =>
          names.length > 0 && (
            <Fact key={text} tone={tone} Icon={Icon}>
              {text}: <Names names={names} />
            </Fact>
          ),
      )}
      <FormatNote command={command} names={[...selected]} />
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
            with more keys than it requested.
          </Fact>
        </div>
      )}
    </>
  )
}

// Nothing where the terminal names no format.
function FormatNote({ command, names }: Pick<KeyNotesProps, 'command'> & { names: readonly string[] }) {
  const format = formatOf(command)
  const misfits = format === null ? [] : names.filter((name) => NAME_RULES[format](name) !== null)
  if (misfits.length === 0) return null
  return (
    <Fact tone="caution" Icon={TriangleAlert}>
      The terminal writes the format <span className="font-mono">{format}</span>, which cannot hold a variable
      of this name: <Names names={misfits} />. Unless the command adds a prefix to the names, the client
      refuses the delivery.
    </Fact>
  )
}

function namesOf(items: readonly RequestBundleItem[]): string[] {
  return items.map(({ key }) => key)
}
