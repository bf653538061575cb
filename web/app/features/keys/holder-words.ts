import type { Holder, Key } from '../../lib/calls/answers.ts'
import { counted, joined } from '../../lib/words/counted.ts'
import { holderNames } from '../../lib/words/holder-text.ts'
import { shortDay } from '../../lib/words/time.ts'
import { versionOf } from './life-line.ts'

const MOST_NAMED = 4

/** What the figure shows, in words: `kim and fly-web have version 5; lee has version 4. It expires on 5 Dec.` */
export function holdersSentence({ expires_at }: Key, holders: readonly Holder[]): string {
  const groups = [...Map.groupBy(holders, versionOf)].toSorted(([a], [b]) => b - a)
  const said = groups.map(([version, some]) => `${namesOf(some)} ${has(some)} version ${version}`)
  return `${said.join('; ')}.${expires_at === null ? '' : ` It expires on ${shortDay(expires_at)}.`}`
}

/** Who has an older value, and which: `github-deploy and lee hold v4`. */
export function oldHoldersText(stale: readonly Holder[]): string {
  const versions = new Set(stale.map(versionOf))
  const [only] = versions
  const what = versions.size === 1 ? `v${only}` : counted(versions.size, 'older version')
  const people = peopleIn(stale).length
  const places = stale.length > people ? ` in ${stale.length} places` : ''
  return `${namesOf(stale)} ${people === 1 ? 'holds' : 'hold'} ${what}${places}`
}

function has(holders: readonly Holder[]): string {
  return peopleIn(holders).length === 1 ? 'has' : 'have'
}

function namesOf(holders: readonly Holder[]): string {
  const names = peopleIn(holders)
  const more = names.length - MOST_NAMED
  return joined(more > 0 ? [...names.slice(0, MOST_NAMED), `${more} more`] : names, 'and')
}

const peopleIn = (holders: readonly Holder[]): string[] => [
  ...new Set(holders.map((holder) => holderNames(holder).who)),
]
