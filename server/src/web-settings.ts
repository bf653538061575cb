import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { IdentitySettings, WebSettings } from '@keyferry/web'
import { logLevelOf } from './api-settings.ts'
import { required } from './safe-start.ts'
import type { Settings } from './settings/setting-table.ts'
import { isSameIssuer } from './settings/setting-values.ts'
import { currentUrl } from './settings/settings.ts'

// Where `npm run release` puts them.
const CLIENT_FILES = fileURLToPath(new URL('../../release/dist/', import.meta.url))

export function webSettings(
  settings: Settings,
  place: Pick<WebSettings, 'api' | 'dataDir' | 'sharedSecrets' | 'metrics' | 'version'> & {
    sockets: readonly number[] | null
  },
): WebSettings {
  const { sockets, ...others } = place
  return {
    ...others,
    listen: sockets ? { sockets } : { host: settings.HOST, port: settings.PORT },
    publicUrl: settings.PUBLIC_URL ?? null,
    securityContact: settings.SECURITY_CONTACT ?? null,
    get redisUrl() {
      return currentUrl(settings, 'REDIS_URL')
    },
    get sharedSecrets() {
      return settings.BFF_SHARED_SECRET ?? place.sharedSecrets
    },
    clientDir: resolve(settings.CLIENT_DIR ?? CLIENT_FILES),
    identity: identityOf(settings),
    provesEmail: provesEmail(settings),
    sessionTimes: {
      idleMs: settings.SESSION_IDLE_SECONDS * 1_000,
      maxMs: settings.SESSION_MAX_SECONDS * 1_000,
    },
    saysSignIn: settings.SIGN_IN_AGAIN_SECONDS > 0,
    identityWebhookSecret: settings.IDENTITY_WEBHOOK_SECRET ?? null,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    trustProxy: settings.TRUST_PROXY,
    trustProxyHeader: settings.TRUST_PROXY_HEADER,
    stopSeconds: settings.STOP_SECONDS,
    logLevel: logLevelOf(settings),
  }
}

function identityOf(settings: Settings): IdentitySettings {
  const mode = settings.AUTH_MODE
  if (mode === 'oidc') return { mode, ...oidcOf(settings) }
  if (mode === 'clerk') return { mode, ...clerkOf(settings) }
  return { mode }
}

function provesEmail({
  AUTH_MODE,
  OIDC_ISSUER,
  CLERK_ISSUER,
  VERIFIED_EMAIL_ISSUERS: listed,
}: Settings): boolean {
  const issuer = AUTH_MODE === 'oidc' ? OIDC_ISSUER : CLERK_ISSUER
  return listed.length === 0 || (issuer !== undefined && listed.some((each) => isSameIssuer(each, issuer)))
}

function oidcOf(settings: Settings) {
  return {
    issuer: required(settings, 'OIDC_ISSUER', 'AUTH_MODE=oidc'),
    clientId: required(settings, 'OIDC_CLIENT_ID', 'AUTH_MODE=oidc'),
    clientSecret: settings.OIDC_CLIENT_SECRET ?? null,
    trustsEmail: settings.OIDC_TRUST_EMAIL,
    ...(settings.OIDC_GROUPS_CLAIM === undefined ? {} : { groupsClaim: settings.OIDC_GROUPS_CLAIM }),
    absentIsNone: settings.OIDC_GROUPS_ABSENT === 'none',
  }
}

function clerkOf(settings: Settings) {
  const listed = settings.CLERK_AUTHORIZED_PARTIES
  const own = settings.PUBLIC_URL === undefined ? [] : [settings.PUBLIC_URL]
  return {
    issuer: required(settings, 'CLERK_ISSUER', 'AUTH_MODE=clerk'),
    jwtKey: settings.CLERK_JWT_KEY ?? null,
    publishableKey: required(settings, 'CLERK_PUBLISHABLE_KEY', 'AUTH_MODE=clerk'),
    secretKey: settings.CLERK_SECRET_KEY ?? null,
    apiUrl: settings.CLERK_API_URL.replace(/\/$/, ''),
    authorizedParties: listed.length > 0 ? listed : own,
  }
}
