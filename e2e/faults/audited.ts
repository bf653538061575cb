import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyferry/contract/client'
import { CHAIN_START, chainHash } from '@keyferry/crypto/audit-chain'
import type { History } from './history.ts'

type Entry = {
  seq: number
  action: string
  target: { id: string; name: string | null }
}

type StoredKey = { id: string; name: string; version: number }

const APPENDED_WITHIN_MS = 10_000
const BETWEEN_LOOKS_MS = 50
/** Where the text of an entry begins in a line of the export: after its hash. */
const ENTRY_AT = 83

/** Compare the audit log with the library and the history: a change without its event, an event without its change, or
 * a break in the chain is a fault.
 * @returns what is wrong, in words */
export async function auditFaults(address: string, history: History): Promise<string[]> {
  if (!(await areAppended(address))) return ['events wait to be appended for 10 s']
  const { entries, faults } = await exportedLog(address)
  const keys = await createClient(address)('GET', '/api/v1/keys', {})
  const byTarget = Map.groupBy(entries, ({ target }) => target.id)
  const approvals = history.deliveries.filter(({ approval }) => approval === 'acknowledged').length
  const approved = actionsOf(entries, 'delivery.approved').length
  const recorded = new Set(entries.map(({ action, target }) => `${action} ${target.name}`))
  return [
    ...faults,
    ...keys.flatMap((key) => versionFaults(key, byTarget.get(key.id) ?? [])),
    ...inventedKeys(entries, new Set(keys.map(({ id }) => id))),
    ...history.acknowledged
      .filter(({ name, action }) => !recorded.has(`${action} ${name}`))
      .map(({ name, action }) => `${action} of ${name} was acknowledged and has no event`),
    // The log may name an approval whose answer was lost; it never misses one.
    ...(approved < approvals ? [`${approvals} approvals were acknowledged, ${approved} have events`] : []),
  ]
}

async function areAppended(address: string): Promise<boolean> {
  const call = createClient(address)
  for (let waited = 0; waited < APPENDED_WITHIN_MS; waited += BETWEEN_LOOKS_MS) {
    const entries = await call('GET', '/api/v1/audit', { query: { limit: 1_000 } })
    if (entries.every(({ sealed }) => sealed)) return true
    await sleep(BETWEEN_LOOKS_MS)
  }
  return false
}

/** Every entry of the log, its chain checked. */
async function exportedLog(address: string): Promise<{ entries: Entry[]; faults: string[] }> {
  const answer = await fetch(`${address}/api/v1/audit/export`)
  const lines = (await answer.text()).trimEnd().split('\n').slice(0, -1)
  const entries: Entry[] = []
  let hash = CHAIN_START
  for (const line of lines) {
    const whole: { hash: string; event: Entry; origin?: object } = JSON.parse(line)
    const end = whole.origin === undefined ? -1 : line.lastIndexOf(',"origin":')
    hash = chainHash(hash, line.slice(ENTRY_AT, end))
    entries.push(whole.event)
    if (hash !== whole.hash || whole.event.seq !== entries.length)
      return { entries, faults: [`the chain of the audit log breaks at entry ${entries.length}`] }
  }
  return { entries, faults: [] }
}

function actionsOf(entries: readonly Entry[], action: string): Entry[] {
  return entries.filter((entry) => entry.action === action)
}

// A key of version n was created once and changed n - 1 times.
function versionFaults({ name, version }: StoredKey, entries: readonly Entry[]): string[] {
  const created = actionsOf(entries, 'key.created').length
  const changed = actionsOf(entries, 'key.changed').length
  return created === 1 && changed === version - 1
    ? []
    : [`${name} has version ${version}, and ${created} events of its creation and ${changed} of changes`]
}

function inventedKeys(entries: readonly Entry[], stored: ReadonlySet<string>): string[] {
  const deleted = new Set(actionsOf(entries, 'key.deleted').map(({ target }) => target.id))
  return actionsOf(entries, 'key.created')
    .filter(({ target }) => !stored.has(target.id) && !deleted.has(target.id))
    .map(({ target }) => `${target.name} has an event of its creation and does not exist`)
}
