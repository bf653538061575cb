import type { Holder, SavedKey } from '../calls/answers.ts'
import { capital, listed } from './counted.ts'
import { visibleText } from './visible-text.ts'

/** Who holds a value: the person and the terminal as it called itself, for example `sam` and `sam@laptop`, or a
 * machine. */
export function holderNames({ kind, name, label }: Pick<Holder, 'kind' | 'name' | 'label'>) {
  return { who: name ?? (kind === 'machine' ? 'a deleted machine' : 'a former user'), place: placeOf(label) }
}

/** A terminal as it called itself; null where that is not known. */
export function placeOf(label: { user: string; hostname: string; program?: string } | null): string | null {
  if (label === null) return null
  return [visibleText(label.user, 40), visibleText(label.hostname, 60)].filter(Boolean).join('@') || null
}

/** What is known of a holder, in words that claim no more. `when` writes a time. */
export function holderText(
  { version, perhaps_version, last_at }: Pick<Holder, 'version' | 'perhaps_version' | 'last_at'>,
  current: number,
  when: (timestamp: string) => string,
): string {
  const unconfirmed = `version ${perhaps_version} was approved, and the delivery is not confirmed`
  if (version === null) return `${capital(unconfirmed)} (${when(last_at)})`
  const given =
    version === current
      ? `Was given the current version ${when(last_at)}`
      : `Was given version ${version} ${when(last_at)}`
  if (perhaps_version !== null) return `${given}; ${unconfirmed}`
  return version === current ? given : `${given} and has not fetched since`
}

/** Who has an older value after a change: ` sam on laptop has v3.`; empty for nobody. */
export function olderHoldersText({ older_holders: older }: SavedKey): string {
  if (older === undefined || older.total === 0) return ''
  const names = older.first.map(({ version, ...holder }) => {
    const { who, place } = holderNames(holder)
    return `${who}${place === null ? '' : ` on ${place}`} (v${version})`
  })
  return ` ${listed(names, names.length, older.total)} ${older.total === 1 ? 'has' : 'have'} an older value.`
}

/** Which other variables still have the value of before a change; empty if none has. */
export function formerText({ former_in: former = [] }: Pick<SavedKey, 'former_in'>): string {
  const names = former.map(({ name, bundle }) => (bundle === null ? name : `${name} in ${bundle}`))
  return names.length === 0 ? '' : ` The old value is still in use: ${listed(names, 3)}.`
}
