import { invitationToken, usedToken } from '@keyferry/crypto/invitation-token'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { randomRequestId } from '@keyferry/crypto/token'
import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import { isEnding } from '@keyferry/plumbing/http-server'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { SignedCall } from './auth/signed-headers.ts'
import type { ClockSteps } from './clock-steps.ts'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import { DEVICE_NONCE_SECONDS } from './domain/requests/device.ts'
import type { Stores } from './domain/stores.ts'
import type { RateLimits } from './http/handler.ts'
import type { HandlerParts, RequestHandlerParts } from './http/handler-parts.ts'
import { createHandlers, limitedHandlers, type ModuleHandlers } from './http/handlers.ts'
import type { ProgramCalls } from './http/pipeline.ts'
import { createServer } from './http/server.ts'
import { touchGuard } from './http/touch-guard.ts'
import { pingRedis } from './request-store/request-notices.ts'
import type { Requesting } from './requesting.ts'
import type { ApiSettings } from './settings.ts'
import { noncesOf, type ShortLived } from './short-lived.ts'
import { depositKeySigner } from './signing-keys.ts'
import type { ChainWriter } from './storage/audit/chain-writer.ts'
import type { Database } from './storage/base/queries.ts'
import type { KnownReceiptKey } from './storage/keys-at-rest/receipt-keys.ts'
import type { StoresWithin } from './storage/stores.ts'
import { touchPartsOf } from './touch-parts.ts'

type AppParts = {
  settings: ApiSettings
  database: Database
  ring: RootKeyRing
  stores: Stores
  storesWithin: StoresWithin
  shortLived: ShortLived
  chainWriter: ChainWriter
  receiptKeys: readonly KnownReceiptKey[]
  programCalls: ProgramCalls | null
  /** How approvals are given, and what becomes of them. */
  approving: Pick<RequestHandlerParts, 'clock' | 'receipts' | 'assurance' | 'endings'> & Requesting
  moduleHandlers: ModuleHandlers
  moduleRateLimits: RateLimits
  /** A warning about signing keys that belong to another host. */
  keysElsewhere: readonly string[]
  steps: FailingSteps
  clockSteps: Pick<ClockSteps, 'warnings'>
  clock: ClockAndIds
  log: Logger
}

/** The HTTP server of the API, which does not listen yet. */
export function createApp(parts: AppParts): FastifyInstance {
  const { settings, database, stores, shortLived, chainWriter, receiptKeys, approving, clock, log } = parts
  const { requireSignatureV2, devAllowPlaintext, maxBodyBytes, version, authMode } = settings
  const signing = {
    get sharedSecrets() {
      return settings.sharedSecrets
    },
    requireSignatureV2,
    nonces: noncesOf(shortLived, clock),
    now: clock.now,
  }
  const { takeTouch } = shortLived
  const touchParts = touchPartsOf({ stores, ring: parts.ring, settings, clock: approving.clock, takeTouch })
  const handlerParts: HandlerParts = {
    stores,
    clock,
    touchParts,
    requestParts: {
      ...shortLived,
      ...approving,
      stores,
      touchParts,
      newRequestId: randomRequestId,
      lifetimeSeconds: settings.requestTtlSeconds,
      waitingSeconds: settings.waitingSeconds,
      maxPayloadBytes: settings.maxPayloadBytes,
      isLocal: authMode === 'local' && 'socketPath' in settings.listen,
      // A web node signs the address of each caller.
      seesNetworks: settings.trustProxy.length > 0 || !('socketPath' in settings.listen),
      takeDeviceNonce: deviceNoncesOf(shortLived, clock),
    },
    takeNewUser: shortLived.takeNewUser,
    authMode,
    providedGroups: settings.providedGroups,
    signUp: settings.signUp,
    receiptKeys,
    signDepositKey: depositKeySigner(receiptKeys),
    invitationTokenOf: (id) => invitationToken(parts.ring.first, id),
    usedToken: (sent) => usedToken(parts.ring, sent),
    devAllowPlaintext,
    version,
    failingStores: async () => (isEnding(app) ? ['stopping'] : await failingStores(database, shortLived)),
    warnings: () => [
      ...chainWriter.problems,
      ...parts.steps.names.map((name) => `failing in the background: ${name}`),
      ...(shortLived.redis?.warnings ?? []),
      ...(settings.warnings?.() ?? []),
      ...parts.clockSteps.warnings,
      ...parts.keysElsewhere,
    ],
  }
  const app = createServer({
    requireTouch: touchGuard({ ...touchParts, ...stores, signInAgainSeconds: settings.signInAgainSeconds }),
    handlers: createHandlers(parts.moduleHandlers, handlerParts),
    limited: limitedHandlers(parts.moduleHandlers, handlerParts, parts.storesWithin),
    readSignature: (facts) => new SignedCall(facts, signing),
    memberships: stores.memberships,
    programCalls: parts.programCalls,
    rateLimits: { ...shortLived.rateLimits, ...parts.moduleRateLimits },
    log,
    devAllowPlaintext,
    maxBodyBytes,
    trusted:
      'socketPath' in settings.listen
        ? { proxies: 'nearest', header: 'X-Forwarded-For' }
        : { proxies: settings.trustProxy, header: settings.trustProxyHeader },
  })
  return app
}

function deviceNoncesOf(shortLived: ShortLived, clock: ClockAndIds): (nonce: string) => Promise<boolean> {
  const nonces = noncesOf(shortLived, clock)
  return (nonce) => nonces.useOnce(`device ${nonce}`, DEVICE_NONCE_SECONDS)
}

// Tests with a write: a standby, a read-only or a full database still answers reads. A sweep deletes the row.
async function failingStores({ single }: Database, { redis }: ShortLived): Promise<string[]> {
  const written = single((query) =>
    query
      .insertInto('ended_requests')
      .values({ request_hash: 'readyz', expires_at_ms: 0 })
      .onConflict((row) => row.column('request_hash').doUpdateSet({ expires_at_ms: 0 }))
      .execute(),
  )
  const answers = await Promise.allSettled([written, redis && pingRedis(redis)])
  return ['database', 'Redis'].filter((_, index) => answers[index]?.status === 'rejected')
}
