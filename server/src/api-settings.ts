import type { ApiSettings } from '@keyferry/api'
import { missingKit, operatedKeyFile } from './root-key/recovery-kit.ts'
import { required } from './safe-start.ts'
import type { Settings } from './settings/setting-table.ts'
import { currentUrl } from './settings/settings.ts'

export function apiSettings(
  settings: Settings,
  place: Pick<ApiSettings, 'listen' | 'dataDir' | 'rootKeys' | 'sharedSecrets' | 'version'>,
): ApiSettings {
  return {
    ...place,
    get databaseUrl() {
      return currentUrl(settings, 'DATABASE_URL')
    },
    get sharedSecrets() {
      return settings.BFF_SHARED_SECRET ?? place.sharedSecrets
    },
    databaseConnections: settings.DATABASE_CONNECTIONS,
    publicHost: publicHostOf(settings),
    warnings: () => kitWarnings(settings),
    get redisUrl() {
      return currentUrl(settings, 'REDIS_URL')
    },
    authMode: settings.AUTH_MODE,
    signInAgainSeconds: /^(accounts|oidc)$/.test(settings.AUTH_MODE) ? settings.SIGN_IN_AGAIN_SECONDS : 0,
    setupCode: settings.SETUP_CODE ?? null,
    providedGroups: settings.OIDC_GROUPS,
    signUp: settings.SIGN_UP ?? 'everyone',
    requestTtlSeconds: settings.REQUEST_TTL,
    waitingSeconds: settings.WAITING_TTL,
    maxPayloadBytes: settings.MAX_PAYLOAD_BYTES,
    versionsKept: settings.VERSIONS_KEPT,
    retentionDays: {
      audit: settings.AUDIT_RETENTION_DAYS,
      deliveries: settings.DELIVERY_RETENTION_DAYS,
      deposits: settings.DEPOSIT_RETENTION_DAYS,
    },
    maxBodyBytes: settings.MAX_BODY_BYTES,
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    usersPerMinute: settings.USERS_PER_MINUTE,
    maxLiveRequests: settings.MAX_LIVE_REQUESTS,
    maxWaitingDepositBytes: settings.MAX_WAITING_DEPOSIT_BYTES,
    maxBundleEntries: settings.MAX_BUNDLE_ENTRIES,
    maxTenantBytes: settings.MAX_TENANT_BYTES,
    maxWorkspacesPerPerson: settings.MAX_WORKSPACES_PER_PERSON,
    machineTokens: settings.MACHINE_TOKENS,
    publicUrl: settings.PUBLIC_URL ?? null,
    mail: mailOf(settings),
    privateTargets: settings.ALLOW_PRIVATE_TARGETS,
    egressProxy: settings.EGRESS_PROXY ?? null,
    devAllowPlaintext: settings.DEV_ALLOW_PLAINTEXT,
    requireSignatureV2: settings.REQUIRE_SIGNATURE_V2,
    approvalAssurance: settings.APPROVAL_ASSURANCE,
    trustProxy: settings.TRUST_PROXY,
    trustProxyHeader: settings.TRUST_PROXY_HEADER,
    stopSeconds: settings.STOP_SECONDS,
    metrics: metricsOf(settings),
    logLevel: logLevelOf(settings),
  }
}

// Read at each question, so that a kit that is made while the server runs counts at once.
function kitWarnings(settings: Settings): readonly string[] {
  if (settings.ROOT_KEY_FROM === undefined) return []
  return [missingKit(operatedKeyFile(settings)) ?? []].flat()
}

/** @throws StartError: a setting that mails need is missing */
function mailOf(settings: Settings): ApiSettings['mail'] {
  if (settings.SMTP_URL === undefined) return null
  const from = required(settings, 'MAIL_FROM', 'SMTP_URL')
  return { url: settings.SMTP_URL, from, publicUrl: required(settings, 'PUBLIC_URL', 'SMTP_URL') }
}

/** The name of this server in the notes of the audit log. */
export function publicHostOf({ PUBLIC_URL }: Settings): string {
  return PUBLIC_URL === undefined ? 'keyferry' : new URL(PUBLIC_URL).host
}

export function metricsOf(settings: Settings): ApiSettings['metrics'] {
  const { METRICS_HOST: host, METRICS_PORT: port } = settings
  return port === undefined ? null : { host, port }
}

// On a personal machine, log lines would fill the terminal; programs read the log of a service.
export function logLevelOf({ LOG_LEVEL, AUTH_MODE }: Settings): string {
  return LOG_LEVEL ?? (AUTH_MODE === 'local' ? 'warn' : 'info')
}
