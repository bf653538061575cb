import type { EnvEntry } from '@keyferry/contract/env'
import { MASK } from '@keyferry/contract/limits'
import type { Key } from '../../lib/answers.ts'
import { looksSecret } from '../../lib/key-names.ts'

/** What importing an entry means for the library. `hidden`: the library has a secret of that name, so whether the value
 * differs is not known here. `masked`: the text holds the mask in place of a value. */
export type State = 'new' | 'changed' | 'same' | 'hidden' | 'masked'

export type PlanRow = { entry: EnvEntry; state: State; key: Key | null; guessedSecret: boolean }

/** What a person decided about a row; what is absent follows the plan. */
export type Decisions = { skipped: ReadonlySet<string>; secret: ReadonlyMap<string, boolean> }

/** Hold a text's entries against the library. */
export function planImport(entries: readonly EnvEntry[], keys: readonly Key[]): PlanRow[] {
  const byName = new Map(keys.map((key) => [key.name, key]))
  return entries.map((entry) => {
    const key = byName.get(entry.name) ?? null
    return {
      entry,
      key,
      state: stateOf(entry, key),
      guessedSecret: key?.is_secret ?? looksSecret(entry.name, entry.value),
    }
  })
}

function stateOf({ value }: EnvEntry, key: Key | null): State {
  if (value === MASK) return 'masked'
  if (key === null) return 'new'
  if (key.is_secret) return 'hidden'
  return key.value === value ? 'same' : 'changed'
}

export function isSecret(row: PlanRow, { secret }: Decisions): boolean {
  return secret.get(row.entry.name) ?? row.guessedSecret
}

/** Whether a row writes a value, given what was decided. */
export function writesValue(row: PlanRow, decisions: Decisions): boolean {
  if (decisions.skipped.has(row.entry.name) || row.state === 'masked') return false
  return row.state !== 'same' || isSecret(row, decisions) !== row.key?.is_secret
}

/** Whether a row can be imported at all: a mask says nothing about a key that does not exist yet. */
export function isUsable(row: PlanRow): boolean {
  return row.state !== 'masked' || row.key !== null
}
