import type { Assurance, AuthMode } from '@keyferry/contract'
import type { SignUp } from './domain/people/user.ts'

/** The settings of the internal API; only the server program reads them from the environment. */
export type ApiSettings = {
  /** Only the web-facing layer calls through the socket, so the client address that it gives is trusted. */
  listen: { host: string; port: number } | { socketPath: string }
  /** Absolute; exists, mode 0700. Contains the embedded database. */
  dataDir: string
  /** `null`: the embedded SQLite database in `dataDir`. */
  databaseUrl: string | null
  /** To PostgreSQL, at a time. */
  databaseConnections: number
  redisUrl: string | null
  /** The host of PUBLIC_URL, or `keyferry`: the name under which the notes of the audit log are signed. */
  publicHost: string
  /** What /readyz warns of besides the audit log, at the moment of the call. */
  warnings?: () => readonly string[]
  /** Base64 of 32 bytes each; the first wraps, all unwrap. */
  rootKeys: readonly [string, ...string[]]
  /** The first signs, all verify. */
  sharedSecrets: readonly [string, ...string[]]
  authMode: AuthMode
  /** After which an owner signs in again before an act that loosens something; 0: never. */
  signInAgainSeconds: number
  /** `null`: derived from the first root key. */
  setupCode: string | null
  /** Ids of the groups that the identity provider fills, by the values of its claim. */
  providedGroups: Readonly<Record<string, string>>
  signUp: SignUp
  requestTtlSeconds: number
  /** Of a request that waits for another person. */
  waitingSeconds: number
  maxPayloadBytes: number
  /** Versions of one key that are kept, with the current one; 0: all. */
  versionsKept: number
  /** Days that entries of the audit log, ended deliveries and ended deposits are kept; 0: for ever. */
  retentionDays: { audit: number; deliveries: number; deposits: number }
  maxBodyBytes: number
  /** New approval requests of one network address. */
  requestsPerMinute: number
  /** People that unsigned calls of one network address create. */
  usersPerMinute: number
  /** Open approval requests at one time. */
  maxLiveRequests: number
  /** Of all deposits that wait for approval. */
  maxWaitingDepositBytes: number
  /** Attached keys and legacy items of one bundle. */
  maxBundleEntries: number
  /** Stored values of one tenant. */
  maxTenantBytes: number
  /** Workspaces that one person can create. */
  maxWorkspacesPerPerson: number
  /** Whether programs may prove themselves with tokens. */
  machineTokens: boolean
  /** Of the web pages. Also the audience of ID tokens where a trust names none. */
  publicUrl: string | null
  /** How mails are sent, with the address of the web pages that they link to; null: not at all. */
  mail: { url: string; from: string; publicUrl: string } | null
  /** Networks that the server may call although they are not public. */
  privateTargets: readonly string[]
  /** The proxy through which the server calls others; null: none. */
  egressProxy: string | null
  devAllowPlaintext: boolean
  requireSignatureV2: boolean
  /** What every approval takes; a workspace and a bundle can demand more. */
  approvalAssurance: Assurance
  /** Addresses or networks of proxies that name the client's address, in this header alone. */
  trustProxy: readonly string[]
  trustProxyHeader: string
  /** How long running calls may take to end when the server stops. */
  stopSeconds: number
  /** Where /metrics is served; `null`: nowhere. */
  metrics: { host: string; port: number } | null
  logLevel: string
  version: string
}
