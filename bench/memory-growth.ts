import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { administer } from '../plumbing/test/postgres.ts'
import { type ApiProcess, startApi } from './contenders.ts'
import { type Benchmark, type BenchOptions, type Measurement, rounded, within } from './measurement.ts'
import { type Stage, stages } from './stages.ts'
import { inTurns } from './turns.ts'

const SMALL_ROWS = 1_000
const FLAT = 1.5
const OF_A_KEY = 50
const READ_KEY = 7

type Grown = { api: ApiProcess; keyId: string }

/** First pages of the log, of a key's history and of its holders, with many rows beside the same with 1,000. Each key
 * has 50 versions and 50 holders; the log is of one workspace. The rows are made by SQL. */
export const memoryGrowth: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) {
    const small = stage.forBare === undefined ? {} : { databaseUrl: stage.forBare }
    const grown = await grow(stage.forApi, options.keys)
    const fresh = await grow({ ...stage.forApi, ...small }, SMALL_ROWS)
    for (const [what, pathOf] of PAGES)
      measurements.push(await compare({ what, pathOf, name: stage.name, grown, fresh }, options))
    await Promise.all([grown.api.stop('SIGKILL'), fresh.api.stop('SIGKILL')])
  }
  return measurements
}

type PathOf = (keyId: string) => string

const PAGES: readonly (readonly [what: string, pathOf: PathOf])[] = [
  ['log', () => '/api/v1/audit?limit=50'],
  ['history', (keyId) => `/api/v1/keys/${keyId}/versions?limit=20`],
  ['holders', (keyId) => `/api/v1/keys/${keyId}/holders?limit=20`],
]

async function grow(backends: Stage['forApi'], rows: number): Promise<Grown> {
  const api = await startApi(backends)
  const { userId, tenantId } = api.owner.identity
  const fill = { rows, user: `'${userId}'`, tenant: `'${tenantId}'` }
  const { databaseUrl } = backends
  if (databaseUrl === undefined) {
    const file = new DatabaseSync(join(api.dataDir, 'keyferry.db'), { timeout: 60_000 })
    for (const statement of fillings({ ...fill, value: 'zeroblob(80)' })) file.exec(statement)
    file.close()
  } else {
    const value = `decode(repeat('00', 80), 'hex')`
    for (const statement of fillings({ ...fill, value })) await administer(databaseUrl, statement)
    await administer(databaseUrl, 'vacuum analyze')
  }
  return { api, keyId: `key-${READ_KEY}` }
}

const AT = `'2026-01-31T12:00:00.000Z'`

/** SQL that both databases understand; `user`, `tenant` and `value` are expressions. */
type Fill = { rows: number; user: string; tenant: string; value: string }

function numbers(count: number): string {
  return `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`
}

function fillings({ rows, user, tenant, value }: Fill): string[] {
  const keys = Math.ceil(rows / OF_A_KEY)
  const made = `(select 'key-' || ((i - 1) / ${OF_A_KEY} + 1) as key_id, (i - 1) % ${OF_A_KEY} + 1 as v from n) as made`
  return [
    `insert into keys (id, tenant_id, name, value, value_version, is_secret, description, created_by, created_at,
      updated_at, updated_by, value_set_at, value_set_by, value_how, value_was_secret)
     ${numbers(keys)} select 'key-' || i, ${tenant}, 'KEY_' || i, ${value}, ${OF_A_KEY + 1}, 1, '', ${user}, ${AT},
      ${AT}, ${user}, ${AT}, ${user}, 'set', 1 from n`,
    `insert into key_versions (tenant_id, key_id, version, name, is_secret, value, was_secret, set_at, set_by, how,
      replaced_at)
     ${numbers(rows)} select ${tenant}, key_id, v, 'KEY', 1, ${value}, 1, ${AT}, ${user}, 'set', ${AT} from ${made}`,
    `insert into holdings (tenant_id, key_id, holder, user_id, version, first_at, last_at, times)
     ${numbers(rows)} select ${tenant}, key_id, 'holder-' || v, ${user}, v, ${AT}, ${AT}, 1 from ${made}`,
    `delete from events where tenant_id = ${tenant}`,
    `delete from audit_log where tenant_id = ${tenant}`,
    `insert into audit_log (tenant_id, seq, hash, body, at, action, actor_id, target_id)
     ${numbers(rows)} select ${tenant}, i, 'hash', ${entry(user)}, ${AT}, 'key.created', ${user}, 'key-' || (i % 1000) from n`,
    `insert into audit_heads (tenant_id, seq, hash, first_seq, first_prev, epoch)
     values (${tenant}, ${rows}, 'hash', 1, '', 1)
     on conflict (tenant_id) do update set seq = excluded.seq, hash = excluded.hash`,
  ]
}

// The text of an entry, as an expression over `i`.
function entry(user: string): string {
  const target = `"target":{"kind":"key","id":"key-1","name":"KEY_1"}`
  return `'{"seq":' || i || ',"id":"event","at":"' || ${AT} || '","action":"key.created","actor":{"kind":"user","id":"'
    || ${user} || '"},${target},"data":{"version":1,"is_secret":true},"personal":null}'`
}

async function compare(
  {
    what,
    pathOf,
    name,
    grown,
    fresh,
  }: { what: string; pathOf: PathOf; name: string; grown: Grown; fresh: Grown },
  options: BenchOptions,
): Promise<Measurement> {
  const contender = ({ api, keyId }: Grown) => ({
    address: api.address,
    pids: [api.pid],
    call: { path: pathOf(keyId), headers: api.owner.headers },
  })
  const { subject, baseline, ratio, coreRatio } = await inTurns(
    { subject: contender(grown), baseline: contender(fresh) },
    options,
  )
  const measurement = within(
    { value: 1 / ratio, bound: FLAT, unit: 'times' },
    {
      what: `first page of ${what}, ${rounded(options.keys)} rows, ${name}`,
      subject: `${rounded(subject.perSecond)}/s`,
      baseline: `${rounded(baseline.perSecond)}/s with ${rounded(SMALL_ROWS)}`,
    },
  )
  return { ...measurement, figure: `${measurement.figure} (${rounded(1 / coreRatio)} by processor time)` }
}
