import { join } from 'node:path'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { openDatabase } from '../api/src/storage/base/database.ts'
import { signedClient } from '../e2e/signed-client.ts'
import { administer } from '../plumbing/test/postgres.ts'
import { SECRET, startApi, temporaryFolder } from './contenders.ts'
import { growLibrary } from './grown-library.ts'
import { type Benchmark, type Measurement, median, percentile, rounded, within } from './measurement.ts'
import { peopleOf } from './people.ts'
import { type Stage, stages } from './stages.ts'

const KEYS = 100_000
const BUNDLES = 10_000
const BOUND_MS = 50
/** What the limited member reaches: one bundle. */
const REACHED = 'bundle_0000007'
const CALLS = 15

const FIRST_PAGES = {
  'first page of keys': '/api/v1/keys?limit=50',
  'first page of bundles': '/api/v1/bundles?limit=50',
}
const PAGES = {
  ...FIRST_PAGES,
  'last page of keys': `/api/v1/keys?limit=50&offset=${KEYS - 50}`,
  'keys found by a part of the name': '/api/v1/keys?limit=50&query=_00999',
  'keys to rotate': '/api/v1/keys?limit=50&due=1',
  'last page of bundles': `/api/v1/bundles?limit=50&offset=${BUNDLES - 50}`,
}
const STALE = {
  'stale keys': '/api/v1/stale-keys?limit=50',
  'all stale keys': '/api/v1/stale-keys?limit=1000',
}

/** Pages of a workspace with 100,000 keys, with their totals, one call after the other: as the owner, and the first ones
 * as a member and as a limited member. */
export const pages: Benchmark = async () => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) measurements.push(...(await pagesOn(stage)))
  return measurements
}

async function pagesOn({ name, forApi }: Stage): Promise<Measurement[]> {
  const place = { rootKey: formatRootKey(generateRootKey()), dataDir: temporaryFolder() }
  const databaseUrl = forApi.databaseUrl ?? null
  const size = { tenants: 1, keysEach: KEYS, bundlesEach: BUNDLES }
  const [sample] = await growLibrary({ databaseUrl, ...place }, size)
  if (!sample) throw new Error('no workspace')
  const change = async (names: string) => {
    await giveKeys(databaseUrl ?? join(place.dataDir, 'keyferry.db'), names)
    if (databaseUrl !== null) await administer(databaseUrl, 'vacuum analyze')
  }
  await change('%7')
  const measurements: Measurement[] = []
  const api = await startApi({ ...forApi, rootKey: place.rootKey }, place)
  const people = await peopleOf(api, signedClient(api.address, SECRET, sample), [REACHED])
  const measure = async (
    paths: Readonly<Record<string, string>>,
    where: string,
    { headers } = people.owner,
  ) => {
    for (const [what, path] of Object.entries(paths))
      measurements.push(
        await timed({ what: `${what}, ${where}${name}`, url: `${api.address}${path}`, headers }),
      )
  }
  await measure({ ...PAGES, ...STALE }, '')
  for (const person of ['member', 'limited member'] as const)
    await measure(FIRST_PAGES, `as a ${person}, `, people[person])
  await change('%')
  await measure(STALE, 'every key changed and held, ')
  await api.stop('SIGKILL')
  return measurements
}

// The keys of these names have a second version and a holder; of a thousand holders the second version did not reach.
async function giveKeys(place: string, names: string): Promise<void> {
  const database = await openDatabase(place)
  const { query } = database
  try {
    await query.updateTable('keys').set({ value_version: 2 }).where('name', 'like', names).execute()
    await query.updateTable('keys').set({ rotate_at: '2026' }).where('name', 'like', '%557').execute()
    await query
      .insertInto('holdings')
      .columns(['tenant_id', 'key_id', 'holder', 'user_id', 'version', 'first_at', 'last_at', 'times'])
      .expression((keys) =>
        keys
          .selectFrom('keys')
          .select(['tenant_id', 'id', keys.val('holder').as('holder'), 'created_by'])
          .select((key) =>
            key.case().when('name', 'like', '%77').then(key.lit(1)).else(key.lit(2)).end().as('v'),
          )
          .select(['created_at', 'created_at as last_at', 'value_version as times'])
          .where('name', 'like', names),
      )
      .onConflict((taken) => taken.doNothing())
      .execute()
  } finally {
    await database.close()
  }
}

type Page = { what: string; url: string; headers: Readonly<Record<string, string>> }

async function timed({ what, url, headers }: Page): Promise<Measurement> {
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) {
    const sentAt = performance.now()
    const answer = await fetch(url, { headers })
    if ((await answer.text()).length < 100 || !answer.ok) throw new Error(`${url} answered ${answer.status}`)
    times.push(performance.now() - sentAt)
  }
  const subject = `slowest ${rounded(percentile(times, 1))} ms`
  return within({ value: median(times), bound: BOUND_MS, unit: 'ms' }, { what, subject, baseline: '' })
}
