import { ago } from './time.ts'

/** When the value of a moved key last changed on the other server, in words. The time comes from the moved file, and
 * the text says so. */
export function elsewhereText(changedElsewhereAt: string, nowMs?: number): string {
  return `last changed on the other server ${ago(changedElsewhereAt, nowMs)}, according to the file`
}

/** Who changed something last, and when. Without an event nobody knows: the person may not read the log. */
export function changedText(
  last: { actor: { name: string | null }; at: string } | undefined,
  what: string,
): string {
  const who = last?.actor.name ?? 'Another person'
  return last === undefined ? `${who} changed ${what}` : `${who} changed ${what} ${ago(last.at)}`
}
