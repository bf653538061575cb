import type { DatedKey } from '../../lib/data/expiry.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { dayOf } from '../../lib/words/due.ts'

const LINE_BYTES = 75
const encoder = new TextEncoder()

/** The dates of keys as a calendar file (RFC 5545), an event of a whole day each.
 * @param pageOf the address of a key's page */
export function calendarFile(
  keys: readonly DatedKey[],
  { now, pageOf }: { now: Date; pageOf: (key: DatedKey) => string },
): string {
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const events = keys.flatMap((key) => [
    'BEGIN:VEVENT',
    `UID:${key.id}@keyferry`,
    `DTSTAMP:${stamp}`,
    `DTSTART;VALUE=DATE:${dayOf(key.due_at).replaceAll('-', '')}`,
    `SUMMARY:${escaped(titleOf(key))}`,
    `URL:${pageOf(key)}`,
    'END:VEVENT',
  ])
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Keyferry//Expiry//EN',
    ...events,
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

function titleOf(key: DatedKey): string {
  const places = (key.bundles ?? []).map(({ name }) => name).join(', ')
  const what = key.expires_at === key.due_at ? 'expires' : 'is due for rotation'
  return `${variableOf(key)} ${what}${places === '' ? '' : ` (${places})`}`
}

const escaped = (text: string) => text.replaceAll(/[\\;,]/g, String.raw`\$&`)

/** A line of at most 75 bytes, which the next ones continue after a blank. */
function folded(line: string): string {
  let [text, bytes] = ['', 0]
  for (const letter of line) {
    const size = encoder.encode(letter).length
    const isFull = bytes + size > LINE_BYTES
    text += isFull ? `\r\n ${letter}` : letter
    bytes = isFull ? 1 + size : bytes + size
  }
  return text
}
