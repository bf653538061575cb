import { PLACES } from '../../lib/page/places.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'

const EVERYWHERE = {
  'Ctrl K': 'Find or do',
  '/': 'Filter',
  '?': 'This list',
  z: 'Undo',
  Esc: 'Close or cancel',
}

const IN_A_TABLE = {
  Arrows: 'Move',
  Enter: 'Change the value',
  Space: 'Open the row',
  x: 'Select',
  'Shift ↑ ↓': 'Select several',
  c: 'Copy the name',
  n: 'Add a variable',
  '=': 'Use the value of another environment',
  Delete: 'Remove',
}

/** The keys that the pages take. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const places = PLACES.flatMap(({ key, name }) => (key === undefined ? [] : [[`g ${key}`, name] as const]))
  const groups = {
    'On every page': EVERYWHERE,
    'In the table of variables': IN_A_TABLE,
    'Go to': Object.fromEntries(places),
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {Object.entries(groups).map(([title, keys]) => (
        <section key={title} aria-label={title} className="mb-4">
          <h3 className="mb-1 text-xs font-semibold text-ink-soft">{title}</h3>
          <Facts facts={keys} className="grid-cols-[6rem_1fr] gap-x-3 gap-y-1" />
        </section>
      ))}
    </Dialog>
  )
}
