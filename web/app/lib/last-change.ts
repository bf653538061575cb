import { ago } from './time.ts'

/** When the value of a moved key last changed on the other server, in words. The moved file claims it, so the words say so. */
export function elsewhereText(changedElsewhereAt: string, nowMs: number): string {
  return `last changed on the other server ${ago(changedElsewhereAt, nowMs)}, says the file`
}
