import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { signDepositKey } from '@keyferry/crypto/deposit'
import { signReceipt } from '@keyferry/crypto/receipt'
import { randomId, randomRequestId, randomToken } from '@keyferry/crypto/token'
import { drain } from '@keyferry/plumbing/http-server'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { type DestinationStream, type Logger, pino } from 'pino'
import { SignedCall } from './auth/signed-headers.ts'
import type { Bounds } from './domain/bounds.ts'
import { type ClockAndIds, timestamp } from './domain/clock-and-ids.ts'
import { endOverdueDeposits } from './domain/deposit-record.ts'
import { DEVICE_NONCE_SECONDS } from './domain/device.ts'
import { forgetOldGrants } from './domain/grant.ts'
import { endOverdue } from './domain/held-delivery.ts'
import type { IdTokens } from './domain/id-token.ts'
import type { ReceiptSigner } from './domain/receipt.ts'
import type { Stores } from './domain/stores.ts'
import { ExpiringApprovals } from './domain/take-back.ts'
import { setupCodeOf, untoldSetupCode } from './first-set-up.ts'
import type { DepositKeySigner } from './http/handler-parts.ts'
import { createHandlers } from './http/handlers.ts'
import { MachineRefusals } from './http/machine-refusals.ts'
import { createServer } from './http/server.ts'
import { auditKeyIn, readyDatabase, ringOf } from './maintenance.ts'
import type { Guard } from './outgoing/guard.ts'
import { outgoingOf, sendWebhooks } from './outgoing-calls.ts'
import type { ApiSettings } from './settings.ts'
import { noncesOf, openShortLived, type ShortLived } from './short-lived.ts'
import { AuditRetention, type RetentionParts } from './storage/audit-retention.ts'
import { beginDepositKeys } from './storage/deposit-keys.ts'
import type { Database } from './storage/queries.ts'
import { type KnownReceiptKey, openReceiptKeys } from './storage/receipt-keys.ts'
import { recording } from './storage/recording.ts'
import { Sealer } from './storage/sealer.ts'
import { createStores } from './storage/stores.ts'
import { sweepEvery } from './sweeping.ts'

export {
  auditVerifierKey,
  exportAudit,
  forgetInAudit,
  pruneAudit,
  verifyAudit,
} from './audit-maintenance.ts'
export { exportLibrary } from './library-export.ts'
export {
  backupDatabase,
  type DatabaseSettings,
  makeDepositKey,
  makeReceiptKey,
  migrate,
  type Rotation,
  recordRestore,
  resetPassword,
  restoreDatabase,
  rotateRootKey,
  type Verification,
  verifyValues,
} from './maintenance.ts'
export type { ApiSettings, AuthMode } from './settings.ts'

export type StartOptions = {
  /** Standard output when absent. */
  logTo?: DestinationStream
  /** The system's clock when absent. */
  now?: () => Date
  /** How often the server looks for approvals that never returned to their terminal; 15 when absent. */
  sweepSeconds?: number
}

export type RunningApi = {
  /** `http://host:port`, or the socket's path. */
  address: string
  /** The code for the first set-up, where it is still needed and no setting gives one. */
  setupCode: string | null
  /** Stops listening, answers held callers, lets running calls finish; within 5 s. */
  close(): Promise<void>
}

const DRAIN_MS = 4_000

const SWEEP_SECONDS = 15

/** Start the internal API: migrate, prove the root keys, listen.
 * @throws Error with one line for the operator: a root key that does not open the database, a database that does not
 *   answer, an address that is in use */
export async function startApi(settings: ApiSettings, options: StartOptions = {}): Promise<RunningApi> {
  await using opened = new AsyncDisposableStack()
  const log = pino({ level: settings.logLevel, base: null }, options.logTo ?? standardOutput(opened))
  const clock = clockOf(options.now ?? (() => new Date()))
  const database = opened.adopt(await readyDatabase(settings, timestamp(clock)), (it) => it.close())
  const shortLived = opened.adopt(await openShortLived(settings, { clock, log }), (it) => it.close())
  const auditKey = await auditKeyIn(database, settings, timestamp(clock))
  const receiptKeys = await openReceiptKeys(database, { ring: ringOf(settings), now: timestamp(clock) })
  await beginDepositKeys(database, { ring: ringOf(settings), now: timestamp(clock) })
  const sealer = opened.adopt(new Sealer({ database, key: auditKey, now: clock.now, log }), (it) =>
    it.close(),
  )
  const queries = recording(database, auditKey, {
    wake: (tenantIds) => sealer.wake(tenantIds),
    valuesChanged: (tenantIds) => shortLived.changes.tell(tenantIds),
    isFull: (tenantId) => sealer.isFull(tenantId),
  })
  keepDays(opened, { queries, days: settings.auditRetentionDays, now: clock.now, log })
  const stores = createStores(queries, { ring: ringOf(settings), auditKey, bounds: boundsOf(settings) })
  const refusals = new MachineRefusals({ events: stores.events, clock, log })
  opened.defer(() => refusals.close())
  const sweep = async () => {
    await endOverdue({ heldDeliveries: stores.heldDeliveries, clock })
    await endOverdueDeposits({ deposits: stores.deposits, clock })
    await forgetOldGrants({ stores, clock })
    await stores.machineTokens.tellExpiring(timestamp(clock))
  }
  opened.defer(sweepEvery(options.sweepSeconds ?? SWEEP_SECONDS, sweep, log))
  const outgoing = outgoingOf(settings, { clock, log })
  const { guard } = outgoing
  sendWebhooks(opened, { outbox: stores.webhookOutbox, guard, clock, log, version: settings.version })
  const expiring = opened.adopt(new ExpiringApprovals({ ...shortLived, stores, clock }), (it) => it.close())
  const app = wire({
    settings,
    database,
    stores,
    shortLived,
    expiring,
    sealer,
    refusals,
    ...outgoing,
    receiptKeys,
    clock,
    log,
  })
  await measure(app, { settings, shortLived, opened })
  const address = await listen(app, settings)
  const setupCode = await untoldSetupCode(settings, stores.accounts)
  const resources = opened.move()
  return { address, setupCode, close: () => close(app, { shortLived, resources }) }
}

function keepDays(opened: AsyncDisposableStack, { days, ...parts }: RetentionParts): void {
  if (days > 0) opened.adopt(new AuditRetention({ ...parts, days }), (it) => it.close())
}

function boundsOf(settings: ApiSettings): Bounds {
  const { maxBundleEntries, maxTenantBytes, maxWorkspacesPerPerson, versionsKept } = settings
  return {
    bundleEntries: maxBundleEntries,
    tenantBytes: maxTenantBytes,
    workspacesPerPerson: maxWorkspacesPerPerson,
    versionsKept,
  }
}

// Write log lines in batches: one write per call would cost as much as the call.
function standardOutput(opened: AsyncDisposableStack): DestinationStream {
  const lines = pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500 })
  opened.defer(() => lines.flushSync())
  return lines
}

type Measured = { settings: ApiSettings; shortLived: ShortLived; opened: AsyncDisposableStack }

async function measure(app: FastifyInstance, { settings, shortLived, opened }: Measured): Promise<void> {
  if (settings.metrics === null) return
  const { countCalls, serveMetrics, showHeldCalls } = await import('@keyferry/plumbing/metrics')
  countCalls(app, 'api')
  showHeldCalls(() => shortLived.room.size + shortLived.changeRoom.size)
  opened.defer(await serveMetrics(settings.metrics))
}

function clockOf(now: () => Date): ClockAndIds {
  return { now, newId: randomId, newToken: randomToken }
}

type ServerParts = {
  settings: ApiSettings
  database: Database
  stores: Stores
  shortLived: ShortLived
  sealer: Sealer
  receiptKeys: readonly KnownReceiptKey[]
  refusals: MachineRefusals
  expiring: ExpiringApprovals
  guard: Guard
  idTokens: IdTokens
  clock: ClockAndIds
  log: Logger
}

function wire(parts: ServerParts): FastifyInstance {
  const { settings, database, stores, shortLived, sealer, receiptKeys, expiring, clock, log } = parts
  const { sharedSecrets, requireSignatureV2, devAllowPlaintext, maxBodyBytes, version, authMode } = settings
  const signing = {
    sharedSecrets,
    requireSignatureV2,
    nonces: noncesOf(shortLived, clock),
    now: clock.now,
  }
  return createServer({
    handlers: createHandlers({
      stores,
      clock,
      requestParts: {
        ...shortLived,
        expiring,
        stores,
        clock,
        newRequestId: randomRequestId,
        lifetimeSeconds: settings.requestTtlSeconds,
        maxPayloadBytes: settings.maxPayloadBytes,
        assurance: settings.approvalAssurance,
        isLocal: authMode === 'local' && 'socketPath' in settings.listen,
        receipts: signerOf(receiptKeys, settings.publicHost),
        takeDeviceNonce: deviceNoncesOf(shortLived, clock),
      },
      targets: parts.guard,
      machineAudience: settings.machineAudience,
      takeDelivery: shortLived.takeDelivery,
      takeWatch: shortLived.takeWatch,
      tokensAllowed: settings.machineTokens,
      authMode,
      receiptKeys,
      signDepositKey: depositKeySigner(receiptKeys),
      setupCode: setupCodeOf(settings),
      devAllowPlaintext,
      version,
      failingStores: async () => [...(await failingStores(database, shortLived)), ...sealer.problems],
    }),
    readSignature: (facts) => new SignedCall(facts, signing),
    memberships: stores.memberships,
    machineCalls: {
      machineCallers: stores.machineCallers,
      machineTrusts: stores.machineTrusts,
      idTokens: parts.idTokens,
      audience: settings.machineAudience,
      clock,
      tokensAllowed: settings.machineTokens,
      countRefusal: shortLived.countRefusal,
      refusals: parts.refusals,
    },
    rateLimits: shortLived.rateLimits,
    log,
    devAllowPlaintext,
    maxBodyBytes,
    trustProxy: 'socketPath' in settings.listen ? 'nearest' : settings.trustProxy,
  })
}

function signerOf(keys: readonly KnownReceiptKey[], origin: string): ReceiptSigner {
  const newest = newestOf(keys)
  return {
    origin,
    sign: (payload) => ({
      kid: newest.kid,
      payload: Buffer.from(payload).toString('base64'),
      signature: Buffer.from(signReceipt(payload, newest)).toString('base64'),
    }),
  }
}

function depositKeySigner(keys: readonly KnownReceiptKey[]): DepositKeySigner {
  const newest = newestOf(keys)
  return (publicKey) => ({ kid: newest.kid, signature: signDepositKey(publicKey, newest) })
}

function newestOf([newest]: readonly KnownReceiptKey[]): KnownReceiptKey {
  if (!newest) throw new Error('no key to sign receipts with')
  return newest
}

function deviceNoncesOf(shortLived: ShortLived, clock: ClockAndIds): (nonce: string) => Promise<boolean> {
  const nonces = noncesOf(shortLived, clock)
  return (nonce) => nonces.useOnce(`device ${nonce}`, DEVICE_NONCE_SECONDS)
}

async function failingStores({ query }: Database, { requests }: ShortLived): Promise<string[]> {
  const answers = await Promise.allSettled([sql`select 1`.execute(query), requests.ping()])
  return ['database', 'request store'].filter((_, index) => answers[index]?.status === 'rejected')
}

async function listen(app: FastifyInstance, { listen: place }: ApiSettings): Promise<string> {
  if ('port' in place) return app.listen({ host: place.host, port: place.port })
  await clearSocket(place.socketPath)
  await app.listen({ path: place.socketPath })
  chmodSync(place.socketPath, 0o600)
  return place.socketPath
}

// A killed process leaves its socket behind; remove it. If a server still answers there, refuse to start.
async function clearSocket(path: string): Promise<void> {
  const socket = connect(path)
  const answers = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  if (answers) throw new Error(`another server is running with this data folder (it answers at ${path})`)
  rmSync(path, { force: true })
}

async function close(
  app: FastifyInstance,
  { shortLived, resources }: { shortLived: ShortLived; resources: AsyncDisposableStack },
): Promise<void> {
  shortLived.room.close()
  shortLived.changeRoom.close()
  await drain(app, { ms: DRAIN_MS, giveUp: () => app.server.closeAllConnections() })
  await resources.disposeAsync()
}
