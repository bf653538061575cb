import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { hashPassword } from '@keyferry/crypto/password'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { generateRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { type CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import type { AccountParts } from '../src/accounts/storage/account-rows.ts'
import { logIn } from '../src/accounts/storage/accounts.ts'
import {
  addPasskey,
  changeSecondFactor,
  listPasskeys,
  logInWithPasskey,
  preparePasskey,
  removePasskey,
  renamePasskey,
} from '../src/accounts/storage/passkeys.ts'
import { DomainError } from '../src/domain/base/errors.ts'
import { PENDING } from '../src/domain/people/approval-key.ts'
import type { Stores } from '../src/domain/stores.ts'
import type { MachineCaller } from '../src/machines/domain/machine-caller.ts'
import { dismissAttempt, listAttempts, noteAttempt } from '../src/machines/storage/machine-attempts.ts'
import { grantsOf } from '../src/machines/storage/machine-callers.ts'
import { deliverToMachine } from '../src/machines/storage/machine-deliveries.ts'
import { findMachine, listMachines } from '../src/machines/storage/machine-reading.ts'
import { createToken, endToken, reportTokens, rotateToken } from '../src/machines/storage/machine-tokens.ts'
import { createTrust, endTrust } from '../src/machines/storage/machine-trusts.ts'
import {
  createMachine,
  deleteMachine,
  grantBundle,
  revokeBundle,
  updateMachine,
} from '../src/machines/storage/machines.ts'
import { Guard } from '../src/outgoing/guard.ts'
import { verifyStoredValues } from '../src/storage/audit/verification.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import type { Database, Query, Write } from '../src/storage/base/queries.ts'
import { recording } from '../src/storage/base/recording.ts'
import { TenantKeys } from '../src/storage/keys-at-rest/tenant-keys.ts'
import { within } from '../src/storage/reach/reached-rows.ts'
import { createStores } from '../src/storage/stores.ts'
import { databases } from './api.ts'
import { type InTransaction, inTransaction } from './in-transaction.ts'

const NOW = '2026-01-31T12:00:00.000Z'
const PAGE = { limit: 50, offset: 0 }
const FIRST_PAGE = { limit: 50, offset: 0, after: null }
const [userId, tenantId, bundleId, keyId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const STAMP = { tenantId, by: 'x', at: NOW, origin: null }
const OWNER = { userId, tenantId, role: 'owner', reach: null, origin: null } as const

/** SQLite, which has no counts of rows to plan by, walking through what a tenant has in all bundles together. */
const OF_A_WHOLE_TENANT = /SEARCH (main\.)?(attachments|gone|legacy_items)\b.*\(tenant_id=\?\)/

/** SQLite making a list of all keys within reach, which it does again for each row of some joins. */
const OF_A_WHOLE_REACH = /LIST SUBQUERY \d+\nSEARCH main\.attachments/

/** A key in a bundle is found by itself, and not by a walk through the bundle. */
const ONE_ATTACHMENT = /bundle_id.*key_id|key_id.*bundle_id/

// Known once they are made.
let [machineId, tokenId] = ['', '']

const CLOCK = { now: () => new Date(NOW), newId: randomUUID, newToken: randomUUID }
const TRUST = { issuer: 'i', claims: { sub: ['a'] }, keys: { keys: [{}] }, networks: [], broad: true }
const ATTEMPT = { issuer: 'i', claims: {}, is_bound: false, reason: 'ref' }

type Machines = Parameters<typeof createMachine>[0] &
  Parameters<typeof deliverToMachine>[0] & {
    together: InTransaction
    origin: null
  } & AccountParts

/** Deliver to the machine, proved in one way. */
function deliver(parts: Machines, proof: MachineCaller['proof']) {
  const named = { workspace: { id: tenantId, name: 'w' }, machine: { id: machineId, name: 'm' } }
  const caller = { ...named, tenantId, readsAudit: false, proof, origin: null, bundleIds: async () => [] }
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  return deliverToMachine(parts, caller, { client_pubkey, bundle_id: bundleId, meta: {} })
}

const newCopy = () => ({ keyId: randomUUID(), namesFor: () => [`K${randomUUID()}`] })

function newDelivery(id: string) {
  const bundle = { id: bundleId, name: 'B' }
  const plain = { held: null, firstApproverId: null, voucherId: null, grantId: null }
  const about = {
    requestId: 'r',
    bundle,
    holder: 'h',
    label: null,
    via: null,
    unversioned: [],
    typed: [],
    ...plain,
  }
  return { ...about, id, keys: [{ id: keyId, name: 'K', version: 1 }], stamp: STAMP }
}

const APPROVAL_KEY = {
  ...PENDING,
  tenantId,
  userId,
  id: randomUUID(),
  username: 'x',
  name: 'K',
  credentialId: 'x',
  counter: 0,
  publicKey: new Uint8Array(77),
  isSynced: false,
  aaguid: '',
  transports: [],
  rpId: 'example.com',
  createdAt: NOW,
  lastUsedAt: null,
}

const LASTING_ACT = {
  id: randomUUID(),
  userId,
  act: 'grantBundle',
  callHash: 'x',
  concerns: '{}',
  createdAt: NOW,
  countsFrom: NOW,
}

const EMAIL = 'x@example.com'
const PASSWORD = 'correct horse battery'
const CONFIRMED = { current_password: PASSWORD }
const DEVICE = new SoftwarePasskey()
const CEREMONY = { challenge: 'AAAA', origin: 'https://example.com', rpId: 'example.com' }

async function firstPasskey(parts: Machines): Promise<string> {
  return (await listPasskeys(parts, OWNER)).passkeys[0]?.id ?? ''
}

/** One use of each query of the stores, by a name for the test's report. */
const USES: Readonly<Record<string, (stores: Stores, machines: Machines) => Promise<unknown>>> = {
  'let a caller in': ({ memberships }) => memberships.findStanding({ userId, tenantId }),
  'sign in': ({ users }) => users.recordSignIn('user_x', { at: NOW, origin: null }),
  'look for a username': ({ users }) => users.takenUsernames(['a', 'b']),
  'find a home': ({ users }) => users.findHome(userId),
  'sign in with a password': (_, parts) => logIn(parts, { email: EMAIL, password: PASSWORD }),
  'prepare a passkey': (_, parts) => preparePasskey(parts, OWNER, CONFIRMED),
  'add a passkey': (_, parts) => {
    const passkey = DEVICE.create(CEREMONY)
    return addPasskey(parts, OWNER, { name: 'P', passkey, ceremony: CEREMONY })
  },
  'list passkeys': (_, parts) => listPasskeys(parts, OWNER),
  'rename a passkey': async (_, parts) =>
    renamePasskey(parts, OWNER, { id: await firstPasskey(parts), name: 'Q' }),
  'choose the second factor': (_, parts) =>
    changeSecondFactor(parts, OWNER, { ...CONFIRMED, after_password: false }),
  'sign in with a passkey': (_, parts) =>
    logInWithPasskey(parts, { passkey: DEVICE.use(CEREMONY), ceremony: CEREMONY, userId: null }),
  'remove a passkey': async (_, parts) =>
    removePasskey(parts, OWNER, { ...CONFIRMED, id: await firstPasskey(parts) }),
  'add a signing key': ({ approvalKeys }) => approvalKeys.insert(APPROVAL_KEY, STAMP),
  'list signing keys': ({ approvalKeys }) => approvalKeys.list({ tenantId }, NOW),
  'confirm a signing key': async ({ approvalKeys, lastingActs }) => {
    await lastingActs.announce({ ...LASTING_ACT, callHash: APPROVAL_KEY.id, id: randomUUID() }, STAMP)
    return await approvalKeys.confirm(APPROVAL_KEY, [randomUUID()], STAMP)
  },
  'use a signing key': ({ approvalKeys }) => approvalKeys.use(APPROVAL_KEY, 1, NOW),
  'remove a signing key': ({ approvalKeys }) => approvalKeys.remove(APPROVAL_KEY, STAMP),
  'announce a lasting act': ({ lastingActs }) => lastingActs.announce(LASTING_ACT, STAMP),
  'list lasting acts': ({ lastingActs }) => lastingActs.list(tenantId, NOW, 'x'),
  'end a lasting act': ({ lastingActs }) => lastingActs.end(randomUUID(), STAMP),
  'forget lasting acts': ({ lastingActs }) => lastingActs.forget(NOW),
  'use a touch': ({ touchUses }) => touchUses.firstUse('x', NOW),
  'forget touches': ({ touchUses }) => touchUses.forget(NOW),
  'list tenants': ({ tenants }) => tenants.listOf(userId),
  'rename a tenant': ({ tenants }) => tenants.rename({ id: tenantId, name: 'w' }, { ...STAMP, by: userId }),
  'say who I am': ({ tenants }) => tenants.findSelf(userId, tenantId),
  'list members': ({ members }) => members.list(tenantId),
  'change a role': (_, { together }) => together((own) => own.members.change({ userId, to: 'owner' }, STAMP)),
  'demote a member': (_, { together }) =>
    together((own) => own.members.change({ userId, to: 'member' }, STAMP)),
  'remove a member': (_, { together }) =>
    together((own) => own.members.change({ userId: randomUUID(), to: 'removed' }, STAMP)),
  'list invitations': ({ invitations }) => invitations.list(tenantId, NOW),
  'revoke an invitation': ({ invitations }) =>
    expect(invitations.delete(randomUUID(), STAMP)).rejects.toThrow('invitation not found'),
  'preview an invitation': ({ invitations }) => invitations.findOffer('x', NOW),
  'find a bundle': ({ bundles }) => bundles.find(tenantId, bundleId),
  'list bundles': ({ bundles }) => bundles.list(tenantId, {}, FIRST_PAGE),
  'list more bundles': ({ bundles }) => bundles.list(tenantId, {}, { ...FIRST_PAGE, after: 'a' }),
  'count bundles': ({ bundles }) => bundles.count(tenantId, {}),
  'find a suggested bundle': ({ bundles }) =>
    bundles.findSuggested(userId, { bundle: 'dev/app', workspace: 'w' }),
  'change a bundle': ({ bundles }) => bundles.update({ bundleId, tags: 'a' }, STAMP, OWNER),
  'duplicate a bundle': ({ bundles }) =>
    bundles.duplicate(
      { of: bundleId, id: randomUUID(), name: randomUUID(), own: new Set(['K']), newCopy },
      STAMP,
    ),
  'compare bundles': ({ comparison }) => comparison.entriesOf(tenantId, bundleId),
  'tell the facts of compared keys': ({ comparison }) => comparison.factsOf(tenantId, [keyId]),
  'list holders of older values': ({ holders }) => holders.olderOfKey(tenantId, keyId, PAGE),
  'find a key': ({ keys }) => keys.find(tenantId, keyId, 'all'),
  'list keys': ({ keys }) => keys.list(tenantId, {}, FIRST_PAGE),
  'list more keys': ({ keys }) => keys.list(tenantId, {}, { ...FIRST_PAGE, after: 'a' }),
  'read long values of keys': ({ keys }) => keys.longValues(tenantId, [keyId]),
  'search keys': ({ keys }) => keys.list(tenantId, { query: 'a' }, FIRST_PAGE),
  'list what is due': ({ keys }) =>
    keys.list(tenantId, { due: { expiresBy: NOW, rotateBy: NOW } }, FIRST_PAGE),
  'count keys': ({ keys }) => keys.count(tenantId, {}),
  'say where a key is used': ({ keys }) => keys.bundlesUsing(tenantId, keyId),
  'change a key': ({ keys }) => keys.update(tenantId, keyId, { description: 'new', stamp: STAMP }),
  'list versions of a key': ({ keyVersions }) => keyVersions.list(tenantId, keyId, PAGE),
  'list more versions of a key': ({ keyVersions }) =>
    keyVersions.list(tenantId, keyId, { limit: 50, offset: 50 }),
  'restore a version': ({ keyVersions }) =>
    keyVersions.restore(tenantId, { keyId, version: 2, editor: OWNER, stamp: STAMP }),
  'destroy a version': ({ keyVersions }) =>
    keyVersions.destroy(tenantId, { keyId, version: 2, stamp: STAMP }),
  'begin a delivery': (_, { together }) =>
    together(({ deliveries }) => deliveries.begin(tenantId, newDelivery(randomUUID()))),
  'confirm a delivery': (_, { together }) =>
    together(async ({ deliveries }) => {
      const deliveryId = randomUUID()
      await deliveries.begin(tenantId, newDelivery(deliveryId))
      await deliveries.collect(tenantId, { deliveryId, at: NOW, origin: null })
    }),
  'void a delivery': (_, { together }) =>
    together(async ({ deliveries }) => {
      const deliveryId = randomUUID()
      await deliveries.begin(tenantId, newDelivery(deliveryId))
      await deliveries.void(tenantId, { deliveryId, at: NOW, origin: null })
    }),
  'find a delivery': ({ deliveries }) => deliveries.find(tenantId, randomUUID()),
  'list deliveries': ({ deliveries }) => deliveries.list(tenantId, {}, PAGE),
  'list deliveries of a bundle': ({ deliveries }) => deliveries.list(tenantId, { bundleId, from: NOW }, PAGE),
  'list deliveries of a person': ({ deliveries }) => deliveries.list(tenantId, { userId, to: NOW }, PAGE),
  'list holders of a key': ({ holders }) => holders.ofKey(tenantId, keyId, PAGE),
  'list what a person typed': ({ holders }) => holders.typedBy(tenantId, userId, PAGE),
  'list what a person holds': ({ holders }) => holders.ofPerson(tenantId, userId, PAGE),
  'count what needs a look': ({ bundles }) =>
    bundles.marks(tenantId, [bundleId], { expiresBy: NOW, rotateBy: NOW }),
  'list the use of bundles': ({ uses }) => uses.list(tenantId, 'bundle', FIRST_PAGE),
  'list the use of machines': ({ uses }) => uses.list(tenantId, 'machine', FIRST_PAGE),
  'list keys with stale holders': ({ holders }) => holders.staleKeys(tenantId, NOW, PAGE),
  'dismiss a holder': ({ holders }) => holders.dismiss(tenantId, { keyId, holder: 'h', stamp: STAMP }),
  'list the audit log': ({ audit }) => audit.list(tenantId, {}, PAGE),
  'list what a person did': ({ audit }) => audit.list(tenantId, { actor: userId }, PAGE),
  'list what happened to a key': ({ audit }) => audit.list(tenantId, { target: keyId }, PAGE),
  'list one kind of event': ({ audit }) => audit.list(tenantId, { action: 'key.changed' }, PAGE),
  'list a day of events': ({ audit }) => audit.list(tenantId, { from: NOW, to: NOW }, PAGE),
  'list one group of events': ({ audit }) => audit.list(tenantId, { group: 'refused' }, PAGE),
  'count the events of some days': ({ audit }) => audit.listCounted(tenantId, { from: NOW }, 10),
  'count what a person did': ({ audit }) => audit.listCounted(tenantId, { from: NOW, actor: userId }, 10),
  'list events before an entry': ({ audit }) => audit.list(tenantId, { before: 9, after: 1 }, PAGE),
  'export a part of the audit log': async ({ audit }) => {
    for await (const line of audit.export(tenantId, { from: 3, to: 9 }).lines) expect(line).not.toBe('')
  },
  'find the newest note': ({ audit }) => audit.note(tenantId),
  'list shared keys': ({ attachments }) => attachments.listShared(tenantId, bundleId),
  'say who shares secrets': ({ policies }) => policies.sharing(tenantId, bundleId),
  'say what a member may do with bundles': ({ bundles }) => bundles.rights(tenantId, [bundleId]),
  'list attached keys': ({ attachments }) => attachments.list(tenantId, bundleId, 'all'),
  'compare what was delivered': ({ attachments }) => attachments.versions(tenantId, bundleId, [keyId]),
  'say how large attached values are': ({ attachments }) => attachments.list(tenantId, bundleId, 'none'),
  'say how large legacy values are': ({ legacyItems }) => legacyItems.list(tenantId, bundleId, 'none'),
  'attach a key': ({ attachments }) =>
    attachments.insert({ bundleId, keyId, order: 0, required: false }, STAMP),
  'move a key': ({ attachments }) => attachments.move({ bundleId, keyId, order: 0 }, STAMP),
  'require a key': ({ attachments }) =>
    attachments.change({ bundleId, keyId, as: 'L', required: true }, STAMP),
  'detach a key': ({ attachments }) => attachments.delete({ bundleId, keyId }, STAMP),
  'create a workspace': ({ users }) =>
    users.createWorkspace(
      userId,
      { id: randomUUID(), name: 'w', membershipId: randomUUID() },
      { at: NOW, origin: null },
    ),
  'attach several keys': ({ keyBatches }) => keyBatches.attach(tenantId, SEVERAL),
  'list the bundles that use several keys': ({ keyBatches }) => keyBatches.uses(tenantId, [keyId]),
  'detach several keys': ({ keyBatches }) => keyBatches.detach(tenantId, SEVERAL),
  'declare several keys secret': ({ keyBatches }) =>
    keyBatches.declareSecret(tenantId, {
      ...SEVERAL,
      editor: OWNER,
    }),
  'split a key': async ({ attachments }) => {
    await attachments.insert({ bundleId, keyId, order: 0, required: false }, STAMP)
    await attachments.split(tenantId, { bundleId, keyId }, { ...newCopy(), stamp: STAMP })
  },
  'list legacy items': ({ legacyItems }) => legacyItems.list(tenantId, bundleId, 'all'),
  'write legacy items': ({ legacyItems }) =>
    legacyItems.upsert(
      { tenantId, bundleId },
      [{ id: randomUUID(), name: 'A', value: Plaintext.of(''), is_secret: true }],
      STAMP,
    ),
  'delete a legacy item': ({ legacyItems }) => legacyItems.delete({ bundleId, name: 'A' }, STAMP),
  'create a machine': (_, parts) =>
    createMachine(parts, OWNER, { name: randomUUID(), description: '', is_active: true, audit: false }),
  'find a machine': (_, { queries }) => findMachine({ ...queries, clock: CLOCK }, tenantId, machineId),
  'list machines': (_, { queries }) => listMachines({ ...queries, clock: CLOCK }, tenantId, PAGE),
  'change a machine': (_, parts) =>
    updateMachine(parts, OWNER, { machineId, change: { description: randomUUID() } }),
  'grant a bundle': (_, parts) => grantBundle(parts, OWNER, { machineId, bundleId, scope: 'deliver' }),
  'list bundles that a program may use': ({ bundles }) =>
    bundles.list(tenantId, { ids: [bundleId] }, FIRST_PAGE),
  'say what a machine may do': (_, { queries }) => grantsOf(queries.query, tenantId, machineId),
  'create a token': (_, parts) => createToken(parts, OWNER, { machineId, expiresInDays: 1, networks: [] }),
  'deliver to a machine': (_, parts) => {
    const life = { expires_at: NOW, lifetime_seconds: 60, ended_at: null, last_used_at: null }
    return deliver(parts, { kind: 'token', id: tokenId, hint: 'abcd', ...life })
  },
  'list deliveries of a machine': ({ deliveries }) =>
    deliveries.list(tenantId, { programId: machineId }, PAGE),
  'list what a machine holds': ({ holders }) => holders.ofProgram(tenantId, machineId, PAGE),
  'create a trust': (_, parts) => createTrust(parts, OWNER, { machineId, draft: TRUST }),
  'deliver by a trust': async (_, parts) => {
    const { id } = await createTrust(parts, OWNER, { machineId, draft: TRUST })
    await deliver(parts, { kind: 'trust', id, last_used_at: null })
  },
  'note an attempt': (_, { queries }) =>
    queries.write((transaction) =>
      noteAttempt(transaction, tenantId, { ...ATTEMPT, machineId, fingerprint: randomUUID(), at: NOW }),
    ),
  'list attempts': (_, parts) => listAttempts(parts, OWNER, machineId),
  'forget an attempt': (_, parts) => dismissAttempt(parts, OWNER, { machineId, fingerprint: randomUUID() }),
  'end a trust': (_, parts) => endTrust(parts, OWNER, { machineId, trustId: tokenId }),
  'rotate a token': (_, parts) => rotateToken(parts, OWNER, { machineId, tokenId, overlapSeconds: 60 }),
  'report a token': (_, parts) => reportTokens(parts, [{ token: 'x' }], null),
  'end a token': (_, parts) => endToken(parts, OWNER, { machineId, tokenId }),
  'take a bundle from a machine': (_, parts) => revokeBundle(parts, OWNER, { machineId, bundleId }),
  'delete a machine': (_, parts) => deleteMachine(parts, OWNER, machineId),

  'delete a key': ({ keys }) => keys.delete(tenantId, keyId, STAMP),
  'delete a bundle': ({ bundles }) => bundles.delete(bundleId, STAMP),
}

const READS = Object.entries(USES).filter(([name]) =>
  /^(list|count|compare|say|tell|find a|read) /.test(name),
)

const SEVERAL = { keyIds: [keyId], bundleId, stamp: STAMP }

/** Keeps the queries that pass, as they will be compiled. */
class Recorder implements KyselyPlugin {
  readonly nodes: RootOperationNode[] = []

  transformQuery({ node }: { node: RootOperationNode }): RootOperationNode {
    this.nodes.push(node)
    return node
  }

  async transformResult<T>({ result }: { result: T }): Promise<T> {
    return result
  }
}

describe.each(databases)('query plans on %s', (kind) => {
  let database: Database
  let recorder: Recorder
  let stores: Stores
  let storesOfLimited: Stores
  let machines: Machines
  let machinesOfLimited: Machines
  let prepared: RootOperationNode[]
  const auditKey = { ...auditKeyOf(createAuditSeed()), name: 'keyferry.example.com/audit' }
  const ring = new RootKeyRing([generateRootKey()])
  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'keyferry-plans-')), 'keyferry.db')
    database = await openDatabase(kind === 'postgres' ? await freshPostgres() : file)
    await migrateDatabase(database, NOW)
    recorder = new Recorder()
    const query = database.query.withPlugin(recorder)
    const write: Write = (change) => query.transaction().execute(change)
    const bounds = {
      assurance: 'compat' as const,
      bundleEntries: 10_000,
      tenantBytes: 1_073_741_824,
      versionsKept: 2,
      workspacesPerPerson: 9,
    }
    const queries = recording({ ...database, query, write }, auditKey)
    stores = createStores(queries, { ring, auditKey, bounds }).stores
    const guard = new Guard({ ownNetworks: [], ownStores: [], proxy: null })
    const rules = { targets: guard, audience: 'a', tokensAllowed: true, maxPayloadBytes: 1_000 }
    prepared = [...recorder.nodes]
    const own = { users: stores.users, tenantKeys: new TenantKeys(queries, ring), origin: null }
    machines = { ...own, queries, stores, together: inTransaction(queries), clock: CLOCK, ...rules }
    const scope = { tenantId, userId, reach: { patterns: ['b', 'team/', '*/app'], since: '' } }
    const reached = within(database.query, scope, database).withPlugin(recorder)
    const limited = { ...queries, query: reached }
    storesOfLimited = createStores(limited, { ring, auditKey, bounds }).stores
    machinesOfLimited = { ...machines, queries: limited, stores: storesOfLimited }
    await fill(stores, machines)
  })
  afterAll(() => database.close())

  test.each(READS)('a limited member who wants to %s finds each row by an id', async (_, use) => {
    recorder.nodes.length = 0
    await use(storesOfLimited, machinesOfLimited).catch(requireRefusal)
    for (const { query, plan } of await plansOf(database.query, kind, recorder.nodes)) {
      expect(plan, query).not.toMatch(/Seq Scan|SCAN (?!counted|numbered|\(subquery|.*USING)/)
      expect(plan, query).not.toMatch(OF_A_WHOLE_TENANT)
      expect(plan, query).not.toMatch(OF_A_WHOLE_REACH)
    }
  })

  test.each(Object.entries(USES))('to %s, every table is read by an index', async (name, use) => {
    recorder.nodes.length = 0
    await use(stores, machines).catch(requireRefusal)
    const plans = await plansOf(database.query, kind, recorder.nodes)
    const inOrder = /^list (more )?(bundles|keys|deliveries.*|versions of a key)$/.test(name)
    for (const { query, plan } of plans) {
      // What is counted or numbered was found by an index: a subquery bounds it.
      expect(plan, query).not.toMatch(/Seq Scan|SCAN (?!counted|numbered|\(subquery|.*USING)/)
      expect(plan, query).not.toMatch(OF_A_WHOLE_TENANT)
      if (name === 'compare what was delivered') expect(plan, query).toMatch(ONE_ATTACHMENT)
      if (inOrder) expect(plan, query).not.toMatch(/Sort|TEMP B-TREE/)
    }
  })

  test('what is prepared reads every table by an index', async () => {
    const plans = await plansOf(database.query, kind, prepared)
    expect(plans.length).toBeGreaterThan(3)
    for (const { query, plan } of plans) {
      expect(plan, query).not.toMatch(/Seq Scan|SCAN (?!.*USING)/)
      expect(plan, query).not.toMatch(/\(tenant_id=\?\)/)
    }
  })

  test('verifying reads the values by their keys, some at a time', async () => {
    recorder.nodes.length = 0
    await verifyStoredValues({ ...database, query: database.query.withPlugin(recorder) }, ring)
    for (const { query, plan } of await plansOf(database.query, kind, recorder.nodes)) {
      expect(plan, query).not.toMatch(/Seq Scan|SCAN (?!.*USING)|Sort|TEMP B-TREE/)
    }
  })
})

async function fill(stores: Stores, parts: Machines): Promise<void> {
  const { users, bundles, keys, attachments } = stores
  const email = { email: EMAIL, email_verified: true, email_as_of: null }
  const user = { id: userId, idp_user_id: 'user_x', ...email, auth_provider: 'local' }
  const workspace = { id: tenantId, name: 'w', membershipId: randomUUID() }
  const password_hash = await hashPassword(PASSWORD)
  await users.insertWithWorkspace({ ...user, username: 'x', password_hash }, workspace, {
    at: NOW,
    origin: null,
  })
  const times = { created_at: NOW, updated_at: NOW, created_by: userId, updated_by: userId }
  const texts = { name: 'B', description: '', tags: '', production: 'by_name' } as const
  await bundles.insert({ id: bundleId, tenant_id: tenantId, ...texts, ...times }, STAMP)
  const value = Plaintext.of('v')
  await keys.insert(
    tenantId,
    { id: keyId, name: 'K', value, is_secret: true, description: '', ...times },
    STAMP,
  )
  await attachments.insert({ bundleId, keyId, order: 0, required: false }, STAMP)
  const machine = await createMachine(parts, OWNER, {
    name: 'm',
    description: '',
    is_active: true,
    audit: false,
  })
  machineId = machine.id
  tokenId = (await createToken(parts, OWNER, { machineId, expiresInDays: 1, networks: [] })).id
}

type Plan = { query: string; plan: string }

function plansOf(query: Query, kind: string, nodes: readonly RootOperationNode[]): Promise<Plan[]> {
  return query.connection().execute(async (connection) => {
    // PostgreSQL reads a one-row table without an index. Make that expensive, to see whether an index would work.
    const dear = kind === 'postgres' ? ['seqscan', 'bitmapscan', 'sort'] : []
    for (const way of dear) await sql`set ${sql.raw(`enable_${way}`)} = off`.execute(connection)
    const plans: Plan[] = []
    for (const node of nodes) {
      if (node.kind === 'InsertQueryNode') continue
      const compiled = connection.getExecutor().compileQuery(node, { queryId: randomUUID() })
      plans.push({ query: compiled.sql, plan: await planOf(connection, kind, compiled) })
    }
    return plans
  })
}

async function planOf(connection: Query, kind: string, compiled: CompiledQuery): Promise<string> {
  const explain = kind === 'postgres' ? 'explain' : 'explain query plan'
  const { rows } = await connection.executeQuery<Record<string, unknown>>({
    ...compiled,
    sql: `${explain} ${compiled.sql}`,
  })
  return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n')
}

// A store may refuse a use. The statements that it sent before count too.
function requireRefusal(error: unknown): void {
  if (!(error instanceof DomainError)) throw error
}
