import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { randomId, randomToken } from '@keyferry/crypto/token'
import { FailingSteps } from '@keyferry/plumbing/failing-steps'
import { announceEnd, drain } from '@keyferry/plumbing/http-server'
import { logOutput } from '@keyferry/plumbing/log-output'
import type { FastifyInstance } from 'fastify'
import { type DestinationStream, pino } from 'pino'
import { ClockSteps } from './clock-steps.ts'
import { type ClockAndIds, timestamp } from './domain/base/clock-and-ids.ts'
import { endingsOf } from './domain/kinds/endings.ts'
import type { Caller } from './domain/people/membership.ts'
import { createApp } from './http-app.ts'
import {
  moduleHandlers,
  moduleRateLimits,
  openProgramCalls,
  startModules,
  startNotes,
} from './joined-modules.ts'
import { readyDatabase, useRootKeys } from './maintenance.ts'
import { gaugesOf, type Measured } from './measures.ts'
import type { StartNote } from './module-parts.ts'
import { guardOf } from './outgoing-calls.ts'
import { openStores } from './recorded-stores.ts'
import { type AroundRequests, openRequesting } from './requesting.ts'
import type { ApiSettings } from './settings.ts'
import { sharedTime } from './shared-time.ts'
import { openShortLived, type ShortLived } from './short-lived.ts'
import { receiptSigner } from './signing-keys.ts'
import { newestCheckpoint } from './storage/audit/audit-head.ts'
import type { Database } from './storage/base/queries.ts'
import { countKeysElsewhere } from './storage/people/awaited-approval-keys.ts'
import { overdueSweep, sweepEvery } from './sweeping.ts'
import { touchAddress } from './touch-parts.ts'
import { countWaiting } from './waiting-count.ts'

export * from './audit-maintenance.ts'
export {
  backupDatabase,
  type DatabaseSettings,
  type KeyRotation,
  makeDepositKey,
  makeReceiptKey,
  migrate,
  recordRestore,
  restoreDatabase,
  rotateRootKey,
  rotateTenantKey,
  type Verification,
  verifyValues,
} from './maintenance.ts'
export type { StartNote } from './module-parts.ts'
/** Optional modules, for the commands of operators. */
export * as modules from './modules.ts'
export {
  confirmAwaitedKey,
  exportLibrary,
  forgetTenantOf,
  type LinkReport,
  linkPeople,
  listAwaitedKeys,
  listLinksOf,
  makeOwnerOf,
  undoLinkOf,
} from './operator-commands.ts'
export type { ApiSettings } from './settings.ts'
export type { AwaitedKey } from './storage/people/awaited-approval-keys.ts'

export type StartOptions = {
  /** Standard output when absent. */
  logTo?: DestinationStream
  /** The system's clock when absent. */
  now?: () => Date
  /** How long the machine is up; the system's answer when absent. */
  upSeconds?: () => number
  /** How often the server looks for what is overdue: for approvals that never returned to their terminal, 15 when
   * absent. */
  sweepSeconds?: number
  /** Wraps what the server changes requests with. */
  aroundRequests?: AroundRequests
  /** Wraps the database of the stores. */
  aroundDatabase?: (database: Database) => Database
}

export type RunningApi = {
  /** `http://host:port`, or the socket's path. */
  address: string
  startNotes: readonly StartNote[]
  /** @throws Error with one line for the operator: they do not open the database, and those before stay in use */
  useRootKeys(rootKeys: ApiSettings['rootKeys']): Promise<void>
  /** How many calls wait for an approval or a change. */
  waitingCalls(): number
  /** Look for what is overdue now. */
  sweep(): Promise<void>
  /** Stops listening, answers waiting callers, lets running calls finish.
   * @param drainSeconds `/readyz` says so this long before */
  close(drainSeconds?: number): Promise<void>
}

const SWEEP_SECONDS = 15

/** Start the internal API: migrate, prove the root keys, listen.
 * @throws Error with one line for the operator: a root key that does not open the database, a database that does not
 *   answer, an address that is in use */
export async function startApi(settings: ApiSettings, options: StartOptions = {}): Promise<RunningApi> {
  await using opened = new AsyncDisposableStack()
  const log = pino({ level: settings.logLevel, base: null }, options.logTo ?? standardOutput(opened))
  const clock = clockOf(options.now ?? (() => new Date()))
  const database = opened.adopt(await readyDatabase(settings, timestamp(clock)), (it) => it.close())
  const scarce = await database.scarceConnections()
  if (scarce) log.warn(scarce, 'PostgreSQL has fewer connections left than DATABASE_CONNECTIONS')
  const shortLived = opened.adopt(await openShortLived(settings, { ...options, clock, log }), (it) =>
    it.close(),
  )
  const steps = new FailingSteps()
  const clockSteps = new ClockSteps(options)
  clockSteps.compare(await newestCheckpoint(database), clock.now())
  const parts = { settings, database, shortLived, steps, clockSteps, clock, log }
  const sharedClock = clockOf(await sharedTime(opened, parts, options.now))
  database.rowMacs.nowMs = () => sharedClock.now().getTime()
  const recorded = await openStores(opened, { ...parts, aroundDatabase: options.aroundDatabase })
  const { stores } = recorded
  const { aroundRequests } = options
  const requesting = openRequesting(opened, { ...parts, ...recorded, clock: sharedClock, aroundRequests })
  const receipts = receiptSigner(recorded.receiptKeys, settings.publicHost)
  const approving = {
    ...shortLived,
    ...requesting,
    stores,
    clock: sharedClock,
    receipts,
    assurance: settings.approvalAssurance,
  }
  const ending = { ...approving, endings: endingsOf(approving) }
  const moduleParts = {
    ...shortLived,
    ...parts,
    ...recorded,
    ending,
    guard: guardOf(settings),
    sweepSeconds: options.sweepSeconds,
    countWaiting: (caller: Caller) => countWaiting({ ...approving, ...recorded }, caller),
  }
  startModules(opened, moduleParts)
  const sweep = overdueSweep({ ...ending, clockSteps })
  sweepEvery(opened, options.sweepSeconds ?? SWEEP_SECONDS, {
    name: 'sweep',
    sweep,
    steps,
    log,
  })
  const app = createApp({
    ...parts,
    ...recorded,
    approving: ending,
    moduleHandlers: moduleHandlers(moduleParts),
    moduleRateLimits: moduleRateLimits(shortLived.openCount),
    programCalls: openProgramCalls(opened, moduleParts),
    keysElsewhere: await keysElsewhere(settings, database),
  })
  await measure(app, settings, { ...parts, requesting, chainWriter: recorded.chainWriter, opened })
  const address = await listen(app, settings)
  const notes = await startNotes(moduleParts)
  const resources = opened.move()
  return {
    address,
    startNotes: notes,
    waitingCalls: () => shortLived.room.size + shortLived.changeRoom.size,
    sweep,
    useRootKeys: (rootKeys) => useRootKeys({ ...recorded, database }, { rootKeys }, timestamp(clock)),
    close: (drainSeconds = 0) => close(app, { settings, shortLived, resources, drainSeconds }),
  }
}

// Counted once: the address is the same until the server starts again.
async function keysElsewhere(settings: ApiSettings, { query }: Database): Promise<string[]> {
  const count = await countKeysElsewhere(query, touchAddress(settings)?.rpId)
  return count === 0 ? [] : [`signing keys of another address than PUBLIC_URL: ${count}`]
}

function standardOutput(opened: AsyncDisposableStack): DestinationStream {
  const lines = logOutput()
  opened.defer(() => lines.flush())
  return lines
}

async function measure(
  app: FastifyInstance,
  settings: ApiSettings,
  { opened, ...measured }: Measured & { opened: AsyncDisposableStack },
): Promise<void> {
  if (settings.metrics === null) return
  const { countCalls, serveMetrics, showGauges } = await import('@keyferry/plumbing/metrics')
  countCalls(app, 'api')
  showGauges(gaugesOf(measured))
  opened.defer(await serveMetrics(settings.metrics))
}

function clockOf(now: () => Date): ClockAndIds {
  return { now, newId: randomId, newToken: randomToken }
}

type Closed = {
  settings: ApiSettings
  shortLived: ShortLived
  resources: AsyncDisposableStack
  drainSeconds: number
}

async function close(app: FastifyInstance, { settings, shortLived, resources, drainSeconds }: Closed) {
  await announceEnd(app, drainSeconds)
  shortLived.room.close()
  shortLived.changeRoom.close()
  await drain(app, { ms: settings.stopSeconds * 1_000, giveUp: () => app.server.closeAllConnections() })
  await resources.disposeAsync()
}

/** Listen where the settings say; only the owner of a socket can connect to it.
 * @returns `http://host:port`, or the socket's path
 * @throws Error with one line for the operator: the address is in use */
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
