import { LIMITS } from '@keyferry/contract'
import { seal } from '@keyferry/crypto/seal'
import { randomId, randomToken } from '@keyferry/crypto/token'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import { removeApprovalsOf } from './domain/approvals/ending.ts'
import { madeByOperator } from './domain/base/event.ts'
import { ENDS } from './domain/kinds/endings.ts'
import type { ChangedLink } from './domain/people/person-link.ts'
import {
  type DatabaseSettings,
  emptyDatabaseLog,
  ringOf,
  withDatabase,
  withRecording,
} from './maintenance.ts'
import type { ApiSettings } from './settings.ts'
import { withRequestNotices } from './short-lived.ts'
import type { Queries, Query, Recorded } from './storage/base/queries.ts'
import { joinedWith, removal } from './storage/joined-stores.ts'
import { TenantKeys } from './storage/keys-at-rest/tenant-keys.ts'
import { ValueVault } from './storage/keys-at-rest/value-vault.ts'
import { findTenant, forgetTenant, isForgotten } from './storage/maintenance/tenant-forgetting.ts'
import {
  type AwaitedKey,
  awaitedApprovalKeys,
  confirmByOperator,
} from './storage/people/awaited-approval-keys.ts'
import { linkedSides, listedLinks, type NewWay } from './storage/people/linked-sides.ts'
import { makeOwner } from './storage/people/owners.ts'
import { linkWay, undoLink } from './storage/people/person-links.ts'
import { Requests } from './storage/requests/requests.ts'
import { readWholeLibrary } from './storage/transfer/library-export.ts'

// What an operator does to people, and to one workspace.

export type OperatorSettings = DatabaseSettings & Pick<ApiSettings, 'redisUrl'>

/** Make a person an owner of a workspace, also while servers run.
 * @returns a text: why nothing changed */
export function makeOwnerOf(settings: DatabaseSettings, tenantId: string, asked: string) {
  return withRecording(settings, ({ write }, { now }) =>
    write((transaction) => makeOwner(transaction, { tenantId, asked, now, newId: randomId })),
  )
}

const CLOCK = { now: () => new Date(), newId: randomId, newToken: randomToken }

type LinkPair = { old: string; fresh: NewWay }

type LinkedSide = { userId: string; email: string; workspaces: number }

/** What linking one pair changes, or why it cannot be linked. `fresh` null: nobody signed in with it yet. */
export type LinkReport = {
  id: string | null
  old: LinkedSide | null
  fresh: LinkedSide | null
  refusal: string | null
  ended: readonly string[]
  remembered: number
}

class NotApplied extends Error {
  readonly reports: LinkReport[]
  constructor(reports: LinkReport[]) {
    super('nothing was changed')
    this.reports = reports
  }
}

/** Link ways to sign in to people, all of them or none, also while servers run.
 * @param isApplied false: only say what it would change */
export async function linkPeople(
  settings: OperatorSettings,
  pairs: readonly LinkPair[],
  isApplied: boolean,
): Promise<LinkReport[]> {
  const linking = removing(settings, async (transaction, on) => {
    const reports: LinkReport[] = []
    for (const pair of pairs) reports.push(await linkPair(transaction, pair, on))
    if (!isApplied || reports.some(({ refusal }) => refusal !== null)) throw new NotApplied(reports)
    return reports
  })
  return await linking.catch((error: unknown) => {
    // No link was made, so none has an id.
    if (error instanceof NotApplied) return error.reports.map((report) => ({ ...report, id: null }))
    throw error
  })
}

async function linkPair(
  transaction: Recorded,
  { old: asked, fresh }: LinkPair,
  { now, endApprovalsOf }: Removing,
): Promise<LinkReport> {
  const sides = await linkedSides(transaction, asked, fresh)
  if (typeof sides === 'string') return { ...NO_LINK, refusal: sides }
  const { idpUserId, oldIdpUserId, ...people } = sides
  const outcome = await linkWay(transaction, { idpUserId, oldIdpUserId }, operatorTerms(now))
  if (typeof outcome === 'string') return { ...NO_LINK, ...people, refusal: outcome }
  const { id, left: userId, ...ends } = outcome
  if (userId !== null) await endApprovalsOf(userId)
  return { ...people, ...ends, id, refusal: null }
}

const NO_LINK: LinkReport = { id: null, old: null, fresh: null, refusal: null, ended: [], remembered: 0 }

function operatorTerms(now: string) {
  return { made: madeByOperator(now), newId: randomId }
}

/** The links of all people. */
export function listLinksOf(settings: DatabaseSettings) {
  return withRecording(settings, ({ query }) => listedLinks(query))
}

/** Undo a link of ways to sign in. @returns null: there is none */
export async function undoLinkOf(settings: OperatorSettings, id: string): Promise<ChangedLink | null> {
  return removing(settings, async (transaction, { now, endApprovalsOf }) => {
    const undone = await undoLink(transaction, id, operatorTerms(now))
    if (undone !== null && undone.left !== null) await endApprovalsOf(undone.left)
    return undone
  })
}

/** `endApprovalsOf`: ends what a person approved and no client has collected. */
type Removing = { now: string; endApprovalsOf: (userId: string) => Promise<void> }

/** One transaction that takes rights from people, also while servers run. */
export function removing<T>(
  settings: OperatorSettings,
  work: (transaction: Recorded, on: Removing) => Promise<T>,
): Promise<T> {
  return withRequests(settings, ({ requests, queries, now }) =>
    removal(queries, requests, (open, transaction) => {
      const own = joinedWith(queries)(open, transaction)
      const parts = { clock: CLOCK, endings: ENDS }
      const endApprovalsOf = (userId: string) => removeApprovalsOf(own, parts, { userId, tenantId: null })
      return work(transaction, { now, endApprovalsOf })
    }),
  )
}

type Work = { requests: Requests; queries: Queries; now: string }

function withRequests<T>(settings: OperatorSettings, work: (parts: Work) => Promise<T>): Promise<T> {
  return withRecording(settings, (queries, { now }) =>
    withRequestNotices(settings.redisUrl, (notices) =>
      work({ requests: new Requests(queries, { notices }), queries, now }),
    ),
  )
}

/** Destroy the key of a tenant, everything that it encrypted, and its open requests. The next run continues one that
 * was stopped.
 * @param isConfirmed confirms the tenant's name
 * @returns how many requests ended
 * @throws Error: no tenant has this id, or the name is not confirmed */
export async function forgetTenantOf(
  settings: OperatorSettings,
  tenantId: string,
  isConfirmed: (name: string) => Promise<boolean>,
): Promise<number> {
  const ended = await withRequests(settings, async ({ requests, queries, now }) => {
    const tenant = await findTenant(queries.query, tenantId)
    if (!tenant && !(await isForgotten(queries.query, tenantId)))
      throw new Error(`no workspace has the id ${tenantId}`)
    if (tenant && !(await isConfirmed(tenant.name)))
      throw new Error('the name does not match: nothing was deleted')
    const names = tenant?.isSole ? [tenantId, tenant.name] : [tenantId]
    return await removal(queries, requests, async (open, transaction) => {
      if (tenant) await forgetTenant(transaction, { ...tenant, now })
      return await open.removeOf({ id: tenantId, names }, Date.parse(now))
    })
  })
  await emptyDatabaseLog(settings)
  return ended
}

/** Signing keys of all workspaces that wait for their confirmation. */
export async function listAwaitedKeys(settings: DatabaseSettings): Promise<readonly AwaitedKey[]> {
  return withAwaited(settings, async ({ keys }) => keys)
}

/** Let a signing key count at once.
 * @param isConfirmed confirms whose key it is
 * @throws Error: no key with this fingerprint waits, or it is not meant */
export async function confirmAwaitedKey(
  settings: DatabaseSettings,
  fingerprint: string,
  isConfirmed: (key: AwaitedKey) => Promise<boolean>,
): Promise<AwaitedKey> {
  return withAwaited(settings, async ({ queries, tenantKeys, keys, now }) => {
    const key = keys.find((each) => each.fingerprint === normalizeUserCode(fingerprint))
    if (!key) throw new Error('no signing key with this fingerprint waits: compare all 20 letters')
    if (!(await isConfirmed(key))) throw new Error('nothing was confirmed')
    if (!(await queries.write((transaction) => confirmByOperator(transaction, { tenantKeys, now, key }))))
      throw new Error('this key changed in the meantime: look at the list again')
    return key
  })
}

type WithAwaited = { queries: Queries; tenantKeys: TenantKeys; keys: readonly AwaitedKey[]; now: string }

function withAwaited<T>(settings: DatabaseSettings, work: (on: WithAwaited) => Promise<T>): Promise<T> {
  return withRecording(settings, async (queries, { now }) => {
    const tenantKeys = new TenantKeys(queries, ringOf(settings))
    const keys = await awaitedApprovalKeys(queries.query, { tenantKeys, now })
    return work({ queries, tenantKeys, keys, now })
  })
}

/** `publicKey`: 32 bytes, of the receiving server. `bundleNames`: only these bundles and their keys; empty:
 * everything. */
type LibraryExport = { kid: string; publicKey: Uint8Array; bundleNames: readonly string[] }

/** Seal the library of a database to the deposit key of another server.
 * @returns the text of the file, and how many bundles and keys it contains
 * @throws Error with one line for the operator: the database has several workspaces, a bundle does not exist or has
 *   inline items, or the library is too large for one move */
export async function exportLibrary(
  settings: DatabaseSettings,
  { kid, publicKey, bundleNames }: LibraryExport,
): Promise<{ text: string; bundles: number; keys: number }> {
  return withDatabase(settings, async (database) => {
    const { query } = database
    const vault = new ValueVault(new TenantKeys(database, ringOf(settings)), 'keys')
    const content = await readWholeLibrary(query, vault, { tenantId: await onlyTenant(query), bundleNames })
    const bytes = Buffer.from(JSON.stringify(content))
    if (content.keys.length > LIMITS.movedKeys || bytes.length > LIMITS.movedBytes)
      throw tooLarge(content.keys.length)
    const box = Buffer.from(seal(bytes, publicKey)).toString('base64')
    bytes.fill(0)
    const text = JSON.stringify({ keyferry_library: 1, kid, box_base64: box })
    return { text, bundles: content.bundles.length, keys: content.keys.length }
  })
}

async function onlyTenant(query: Query): Promise<string> {
  const [tenant, ...others] = await query.selectFrom('tenants').select('id').limit(2).execute()
  if (tenant === undefined) throw new Error('this database has no library')
  if (others.length > 0)
    throw new Error('this database has several workspaces: only the library of a local server can be moved')
  return tenant.id
}

function tooLarge(keys: number): Error {
  const most = `${LIMITS.movedKeys} keys and ${LIMITS.movedBytes / 1024} KiB`
  return new Error(
    `the library has ${keys} keys, and one file holds at most ${most}: name some of its bundles after the server, and export the others next`,
  )
}
