import { call } from '../../lib/api.ts'
import { describeFailure } from '../../lib/failure.ts'
import { type Decisions, isSecret, isUsable, type PlanRow, writesValue } from './plan.ts'

export type ImportResult = {
  bundleId: string
  created: number
  changed: number
  attached: number
  failures: { name: string; problem: string }[]
}

type ImportOptions = {
  bundleName: string
  rows: readonly PlanRow[]
  decisions: Decisions
  onProgress: (done: number) => void
}

/** Write the rows into the library and attach them to the bundle in the text's order. A row that fails is reported and the
 * others go on, so that importing the same text again finishes the work. */
export async function runImport({
  bundleName,
  rows,
  decisions,
  onProgress,
}: ImportOptions): Promise<ImportResult> {
  const bundle = await findOrCreateBundle(bundleName)
  const result: ImportResult = { bundleId: bundle.id, created: 0, changed: 0, attached: 0, failures: [] }
  const wanted = rows.filter((row) => isUsable(row) && !decisions.skipped.has(row.entry.name))
  for (const [index, row] of wanted.entries()) {
    try {
      const keyId = await writeKey(row, decisions, result)
      if (!bundle.keyIds.has(keyId)) {
        await attach(bundle.id, keyId)
        result.attached += 1
      }
    } catch (error) {
      result.failures.push({ name: row.entry.name, problem: describeFailure(error).message })
    }
    onProgress(index + 1)
  }
  return result
}

async function findOrCreateBundle(name: string): Promise<{ id: string; keyIds: ReadonlySet<string | null> }> {
  const bundles = await call('GET', '/api/v1/bundles')
  const existing = bundles.find((bundle) => bundle.name === name)
  if (existing === undefined) {
    const { id } = await call('POST', '/api/v1/bundles', { body: { name } })
    return { id, keyIds: new Set() }
  }
  const { id, items } = await call('GET', '/api/v1/bundles/{bundle_id}', {
    params: { bundle_id: existing.id },
  })
  return { id, keyIds: new Set(items.map((item) => item.id)) }
}

async function writeKey(row: PlanRow, decisions: Decisions, result: ImportResult): Promise<string> {
  const { name, value } = row.entry
  const is_secret = isSecret(row, decisions)
  if (row.key === null) {
    const { id } = await call('POST', '/api/v1/keys', { body: { name, value, is_secret } })
    result.created += 1
    return id
  }
  if (writesValue(row, decisions)) {
    await call('PUT', '/api/v1/keys/{key_id}', { params: { key_id: row.key.id }, body: { value, is_secret } })
    result.changed += 1
  }
  return row.key.id
}

async function attach(bundleId: string, keyId: string): Promise<void> {
  await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', {
    params: { bundle_id: bundleId, key_id: keyId },
  })
}
