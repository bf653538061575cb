import { digestOf } from '@keyferry/crypto/digest'
import { z } from 'zod'
import type { TouchedIds, Watched, WatchStore } from '../../domain/approvals/effects.ts'
import { foldersOver, isIn, isOver, keyPlace, strictestTouch } from '../../domain/approvals/policy.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { waitIsOver } from '../../domain/people/lasting-act.ts'
import { changed } from '../../domain/people/touch.ts'
import type { CallSubject, TouchFactStore, TouchFacts } from '../../domain/people/touch-facts.ts'
import { inChunks } from '../base/chunks.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { aroundWrites } from '../base/recording.ts'
import { flag } from '../base/tables.ts'
import { keysAttached, selectOf } from '../base/tenant-rows.ts'
import { listGroups } from '../people/groups.ts'
import { endLastingAct } from '../people/lasting-acts.ts'
import { lockTenant } from '../people/tenants.ts'
import { programs } from '../programs/programs.ts'
import { folderOf, rulesAbove, rulesOfBundles, type TouchRuleAt, touchRules } from '../rules/set-rules.ts'
import { comparing } from './standing.ts'

export function createTouchFactStore({ query }: Pick<Queries, 'query'>): TouchFactStore & WatchStore {
  return {
    find: (tenantId, about) => find(query, tenantId, about),
    run: ({ judged = null, ends = [], ...watched }, call) =>
      aroundWrites(
        async (transaction) => {
          await requireSame(transaction, watched)
          const { tenantId, ...moment } = watched.stamp
          const compare = judged && (await comparing(transaction, tenantId, judged.touched))
          return async (written) => {
            if (judged) await compare?.({ tenantId, ...moment }, written, judged.judge)
            await endWaits(transaction, ends, watched.stamp)
          }
        },
        call,
        judged?.isUndone,
      ),
    async touched(watched, call) {
      let touched: TouchedIds | null = null
      const look = async (transaction: Recorded) => {
        await requireSame(transaction, watched)
        return async (found: TouchedIds) => {
          touched = found
          throw new Error('undone: it only shows what it touches')
        }
      }
      await aroundWrites(look, call, true).catch(() => {})
      return touched
    },
  }
}

// In the act's transaction: an act that fails still waits, and can be signed again.
async function endWaits(transaction: Recorded, ends: readonly string[], stamp: Stamp): Promise<void> {
  for (const [at, id] of ends.entries())
    if (!(await endLastingAct(transaction, id, stamp)) && at === 0) throw waitIsOver()
}

async function requireSame(transaction: Recorded, { stamp: { tenantId }, same }: Watched): Promise<void> {
  if (same === null) return
  // Such changes of a workspace follow one another, so nothing comes between these facts and what follows.
  await lockTenant(transaction, tenantId)
  const facts = await find(transaction, tenantId, same.about)
  const isSame = same.isSigned ? JSON.stringify(facts) === JSON.stringify(same.facts) : facts.touch === 'none'
  if (!isSame) throw changed()
}

async function find(query: Query, tenantId: string, about: CallSubject): Promise<TouchFacts> {
  const rules = await touchRules(query, tenantId)
  if (rules.length === 0 && !about.isSetting && !about.isOfKeys) return { touch: 'none', concerns: {} }
  const at = { query, tenantId }
  const proposals = await rowsOf(about.proposalIds, (ids) => proposalsIn(at, ids))
  const gettingFrom = about.isSetting === true ? (about.bundleIds ?? []) : null
  const getting = await programs.facts(query, tenantId, { ids: about.programIds ?? [], gettingFrom })
  const bundleIds = [...(about.bundleIds ?? []), ...proposals.flatMap(({ bundle }) => bundle ?? [])]
  const unmade = proposals.flatMap(({ bundle, into }) => (bundle === null ? [into] : []))
  const bundles = [
    ...(await rowsOf(bundleIds, (ids) => bundlesIn(at, 'id', ids))),
    ...(await rowsOf([...(about.bundleNames ?? []), ...unmade], (some) => bundlesIn(at, 'name', some))),
  ]
  const names = [...(about.names ?? []), ...proposals.flatMap(({ names: own }) => own)]
  const keys = unique([
    ...(await rowsOf(about.keyIds, (ids) => keysIn(at, ids))),
    ...(await deliveredIn(at, names, bundles)),
    ...(await rowsOf(about.taken === 'all' ? names : about.taken, (some) => keysNamed(at, some))),
  ])
  const people = await rowsOf(about.userIds, (ids) => peopleIn(at, ids))
  const groups = await rowsOf(about.groupIds, (ids) => groupsIn(at, ids))
  const ids = [...bundles.map(({ id }) => id), ...getting.flatMap((program) => program.bundles)]
  const keyIds = keys.map(({ id }) => id)
  const touching = {
    bundleIds: ids,
    keyIds,
    newNames: [...(about.bundleNames ?? []), ...(about.newNames ?? []), ...unmade],
  }
  const isWide = about.isWide || getting.some(({ reads_audit }) => reads_audit)
  const reached = isWide ? rules : rules.filter(reaching(touching, await placesWith(at, touching)))
  const concerns = { bundles, keys, [programs.noun]: getting, people, groups, proposals }
  const sorted = Object.entries(concerns).flatMap(([kind, facts]) =>
    facts.length === 0 ? [] : [[kind, facts.toSorted((one, other) => (one.id < other.id ? -1 : 1))]],
  )
  const isOfRules = about.isOfRules === true && (reached.length > 0 || about.isSetting === true)
  const counting = isOfRules ? rules : reached
  const role = await roleOf(at, about.signerId ?? '')
  return { touch: strictestTouch(counting), role, concerns: Object.fromEntries(sorted) }
}

type Touching = { bundleIds: readonly string[]; keyIds: readonly string[]; newNames: readonly string[] }

// The rule of the workspace reaches every bundle, and every key, also one that no bundle contains.
function reaching({ bundleIds, keyIds, newNames }: Touching, places: readonly string[]) {
  const reached = new Set([...bundleIds, ...places])
  return ({ bundle_id, folder }: TouchRuleAt) => {
    if (folder !== null) return reached.has(folder) || newNames.some((name) => isIn(folder, name))
    return bundle_id === null ? reached.size + keyIds.length > 0 : reached.has(bundle_id)
  }
}

type At = { query: Query; tenantId: string }

function rowsOf<Row>(
  wanted: readonly string[] | undefined,
  read: (some: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  return inChunks([...new Set(wanted)], read)
}

async function bundlesIn({ query, tenantId }: At, column: 'id' | 'name', wanted: readonly string[]) {
  const rows = await rulesOfBundles(query, tenantId, (all) => all.where(`bundles.${column}`, 'in', wanted))
  const { folders } = await rulesAbove(query, tenantId)
  const over = foldersOver(await folders(isOver(rows.map(({ name }) => name))), folderOf)
  return rows.map(({ id, name, tags, production, rules }) => {
    const all = [rules, over(name)]
    return { id, name, tags, production, rules_sha256: digestOf(JSON.stringify(all)) }
  })
}

async function keysIn({ query, tenantId }: At, ids: readonly string[]) {
  return keyFacts(await selectOf(query, 'keys', tenantId).select(KEY).where('keys.id', 'in', ids).execute())
}

const KEY = ['keys.id', 'keys.name', 'keys.value_version', 'keys.is_secret', 'keys.template_parts'] as const

type FactRow = {
  id: string
  name: string
  value_version: number
  is_secret: number
  template_parts: string | null
}

function keyFacts(rows: readonly FactRow[]) {
  return rows.map(({ id, name, value_version, is_secret, template_parts }) => ({
    id,
    name,
    version: value_version,
    is_secret: is_secret === 1,
    parts: template_parts,
  }))
}

async function deliveredIn(
  { query, tenantId }: At,
  names: readonly string[],
  bundles: readonly { id: string }[],
) {
  if (bundles.length === 0) return []
  const ids = bundles.map(({ id }) => id)
  const rows = await inChunks([...new Set(names)], (some) =>
    keysAttached(query, tenantId)
      .select(KEY)
      .where('attachments.bundle_id', 'in', ids)
      .where('attachments.delivered_name', 'in', some)
      .distinct()
      .execute(),
  )
  return keyFacts(rows)
}

/** The keys that have one of these names, or that any bundle delivers under it. */
async function keysNamed({ query, tenantId }: At, names: readonly string[]) {
  const [named, delivered] = await Promise.all([
    selectOf(query, 'keys', tenantId).select(KEY).where('keys.name', 'in', names).execute(),
    keysAttached(query, tenantId).select(KEY).where('delivered_name', 'in', names).distinct().execute(),
  ])
  return keyFacts([...named, ...delivered])
}

function unique<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

async function peopleIn({ query, tenantId }: At, ids: readonly string[]) {
  const rows = await selectOf(query, 'memberships', tenantId)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.username as name', 'users.email', 'memberships.role'])
    .where('memberships.user_id', 'in', ids)
    .execute()
  return rows.map((row) => ({ ...row }))
}

async function roleOf({ query, tenantId }: At, userId: string) {
  const own = selectOf(query, 'memberships', { tenantId, user_id: userId })
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('memberships.role')
    .where('users.is_active', '=', flag(true))
  return (await own.executeTakeFirst())?.role ?? null
}

async function groupsIn({ query, tenantId }: At, ids: readonly string[]) {
  return (await listGroups(query, tenantId)).filter(({ id }) => ids.includes(id))
}

async function proposalsIn({ query, tenantId }: At, ids: readonly string[]) {
  const rows = await selectOf(query, 'proposals', tenantId)
    .select(['id', 'bundle_id', 'bundle_name', 'entries', 'detach'])
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id, bundle_id: bundle, bundle_name: into, entries, detach }) => ({
    id,
    bundle,
    into,
    content_sha256: digestOf(`${entries} ${detach}`),
    names: [
      ...Entries.parse(JSON.parse(entries)).map(({ name }) => name),
      ...Names.parse(JSON.parse(detach)),
    ],
  }))
}

const Entries = z.array(z.looseObject({ name: z.string() }))
const Names = z.array(z.string())

/** Of these keys, and of secrets that these bundles deliver: their places, and the bundles that contain them. */
async function placesWith(
  { query, tenantId }: At,
  { bundleIds, keyIds }: Omit<Touching, 'newNames'>,
): Promise<string[]> {
  const bundlesWith = (ids: readonly string[]) =>
    selectOf(query, 'attachments', tenantId)
      .select('bundle_id')
      .distinct()
      .where('key_id', 'in', ids)
      .execute()
  const secrets = await inChunks(bundleIds, (ids) =>
    keysAttached(query, tenantId)
      .select('keys.id')
      .where('attachments.bundle_id', 'in', ids)
      .where('keys.is_secret', '=', flag(true))
      .execute(),
  )
  const all = [...new Set([...keyIds, ...secrets.map(({ id }) => id)])]
  return [...all.map(keyPlace), ...(await inChunks(all, bundlesWith)).map(({ bundle_id }) => bundle_id)]
}
