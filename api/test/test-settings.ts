import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signCaller } from '@keyferry/crypto/caller-signature'
import { signRequest } from '@keyferry/crypto/request-signature'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { randomToken } from '@keyferry/crypto/token'
import type { ApiSettings } from '../src/main.ts'

export type Identity = { userId: string; tenantId: string }

export const SECRET = 'a shared secret of more than 32 bytes'

export const SETUP_CODE = 'a set-up code of the tests'

/** Settings of a new API in a fresh data folder. */
export function testSettings(changes: Partial<ApiSettings> = {}): ApiSettings {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    dataDir: mkdtempSync(join(tmpdir(), 'keyferry-api-')),
    databaseUrl: null,
    databaseConnections: 12,
    publicHost: 'keyferry.example.com',
    redisUrl: null,
    rootKeys: [formatRootKey(generateRootKey())],
    sharedSecrets: [SECRET],
    authMode: 'accounts',
    signInAgainSeconds: 0,
    setupCode: SETUP_CODE,
    providedGroups: {},
    signUp: 'everyone',
    requestTtlSeconds: 300,
    waitingSeconds: 1_800,
    maxPayloadBytes: 1_048_576,
    versionsKept: 50,
    retentionDays: { audit: 0, deliveries: 0, deposits: 0 },
    maxBodyBytes: 2_097_152,
    requestsPerMinute: 10,
    usersPerMinute: 600,
    maxLiveRequests: 20_000,
    maxWaitingDepositBytes: 67_108_864,
    maxBundleEntries: 10_000,
    maxTenantBytes: 1_073_741_824,
    maxWorkspacesPerPerson: 1_000,
    machineTokens: true,
    publicUrl: 'https://keyferry.example.com',
    mail: null,
    privateTargets: [],
    egressProxy: null,
    devAllowPlaintext: false,
    requireSignatureV2: false,
    approvalAssurance: 'compat',
    trustProxy: [],
    trustProxyHeader: 'X-Forwarded-For',
    stopSeconds: 4,
    metrics: null,
    logLevel: 'info',
    version: '0.0.0-test',
    ...changes,
  }
}

/** The interface's signature for a caller. */
export function signedHeaders(identity: Identity): Record<string, string> {
  const { userId, tenantId } = identity
  return {
    'x-user-id': userId,
    'x-tenant-id': tenantId,
    'x-signature': `sha256=${signCaller(identity, SECRET)}`,
  }
}

/** The signature of the web-facing layer for a call that it makes itself. */
export function layerHeaders(
  method: string,
  path: string,
  body: unknown,
  now = new Date(),
): Record<string, string> {
  const bytes = Buffer.from(JSON.stringify(body) ?? '')
  const facts = { method, path, body: bytes, clientAddress: '', userId: '', tenantId: '' }
  const stamp = { secret: SECRET, nowSeconds: Math.floor(now.getTime() / 1_000), nonce: randomToken() }
  return { 'x-signature-v2': signRequest(facts, stamp) }
}
