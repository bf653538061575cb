import { ago } from './time.ts'

/** When the value of a moved key last changed on the other server, in words. The time comes from the moved file, and
 * the text says so. */
export function elsewhereText(changedElsewhereAt: string, nowMs?: number): string {
  return `last changed on the other server ${ago(changedElsewhereAt, nowMs)}, according to the file`
}
