import { isLoopback } from '@keyferry/plumbing/loopback'
import { SETTINGS, type Setting, type SettingName, type Settings } from './settings/setting-table.ts'
import { StartError } from './start-error.ts'

/** What this process runs: both layers, only the internal API, or only the web-facing layer. */
export type ServerRole = 'all' | 'api' | 'web'

/** Check that the settings fit together and are safe to start with.
 * @throws StartError naming the first setting that is missing, does not belong here, or is unsafe */
export function requireSafeStart(settings: Settings, role: ServerRole): void {
  requireLocalOnLoopback(settings)
  requireOwnMetricsPort(settings)
  requirePlaintextInDevelopment(settings, role)
  requireRole(settings, role)
  if (role !== 'api') requireIdentity(settings)
  if (role !== 'api') requirePublicUrl(settings)
}

/** Check that the server may use sockets that another program opened.
 * @throws StartError: only the web-facing layer does, where people sign in */
export function requireSocketsOfOthers(settings: Settings, role: ServerRole): void {
  if (role === 'api')
    throw new StartError(
      'LISTEN_FDS is set: keyferry-server api opens its own socket, so remove its socket unit',
    )
  if (settings.AUTH_MODE === 'local')
    throw new StartError('LISTEN_FDS with AUTH_MODE=local could let anyone in: set AUTH_MODE')
  required(settings, 'PUBLIC_URL', 'a server on the socket of another program')
}

/** @throws StartError if the setting is not set */
export function required<N extends SettingName>(
  settings: Settings,
  name: N,
  forWhat: string,
): NonNullable<Settings[N]> {
  const value = settings[name]
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0))
    throw new StartError(`${name} is missing: ${forWhat} needs it`)
  return value
}

function requireLocalOnLoopback({ AUTH_MODE, HOST }: Settings): void {
  if (AUTH_MODE === 'local' && !isLoopback(HOST))
    throw new StartError(
      `HOST ${HOST} with AUTH_MODE=local would let anyone in: use 127.0.0.1, or set AUTH_MODE`,
    )
}

function requireOwnMetricsPort({ HOST, PORT, METRICS_HOST, METRICS_PORT }: Settings): void {
  if (METRICS_PORT === PORT && PORT !== 0 && METRICS_HOST === HOST)
    throw new StartError('METRICS_PORT is PORT: set another one')
}

// `keyferry-server api` serves web nodes that may sign people in, with any AUTH_MODE here.
function requirePlaintextInDevelopment(settings: Settings, role: ServerRole): void {
  const { DEV_ALLOW_PLAINTEXT, AUTH_MODE, NODE_ENV } = settings
  if (!DEV_ALLOW_PLAINTEXT || NODE_ENV === 'development') return
  if (AUTH_MODE !== 'local')
    throw new StartError(`DEV_ALLOW_PLAINTEXT=1 with AUTH_MODE=${AUTH_MODE} needs NODE_ENV=development`)
  if (role === 'api')
    throw new StartError('DEV_ALLOW_PLAINTEXT=1 with keyferry-server api needs NODE_ENV=development')
}

function requireRole(settings: Settings, role: ServerRole): void {
  if (role !== 'all') required(settings, 'BFF_SHARED_SECRET', `keyferry-server ${role}`)
  if (role === 'web') required(settings, 'API_URL', 'keyferry-server web')
  const { DATABASE_URL, ROOT_KEY, ROOT_KEY_FILE, ROOT_KEY_FROM } = settings
  if (role !== 'web' && DATABASE_URL && !ROOT_KEY && !ROOT_KEY_FILE)
    throw new StartError('ROOT_KEY is missing: PostgreSQL (DATABASE_URL) needs it, or ROOT_KEY_FILE')
  if (ROOT_KEY && ROOT_KEY_FROM) throw new StartError('ROOT_KEY and ROOT_KEY_FROM are both set: remove one')
  if (ROOT_KEY && ROOT_KEY_FILE) throw new StartError('ROOT_KEY and ROOT_KEY_FILE are both set: remove one')
}

function requireIdentity(settings: Settings): void {
  const { AUTH_MODE } = settings
  const given: Readonly<Record<string, unknown>> = settings
  for (const [name, { mode = AUTH_MODE }] of Object.entries<Setting>(SETTINGS))
    if (mode !== AUTH_MODE && given[name] !== undefined)
      throw new StartError(`${name} is set, but AUTH_MODE is ${AUTH_MODE}: it belongs to AUTH_MODE=${mode}`)
  const needed: readonly SettingName[] =
    AUTH_MODE === 'oidc'
      ? ['OIDC_ISSUER', 'OIDC_CLIENT_ID']
      : AUTH_MODE === 'clerk'
        ? ['CLERK_ISSUER', 'CLERK_PUBLISHABLE_KEY']
        : []
  for (const name of needed) required(settings, name, `AUTH_MODE=${AUTH_MODE}`)
}

// The session cookie must not travel unencrypted, and a server on a wildcard address cannot know its own URL.
function requirePublicUrl({ AUTH_MODE, HOST, PUBLIC_URL }: Settings): void {
  if (AUTH_MODE === 'local') return
  if (PUBLIC_URL === undefined && !isLoopback(HOST))
    throw new StartError(`PUBLIC_URL is missing: AUTH_MODE=${AUTH_MODE} on ${HOST} needs it`)
  if (PUBLIC_URL?.startsWith('http:') && !isLoopback(new URL(PUBLIC_URL).hostname))
    throw new StartError('PUBLIC_URL must be https: otherwise the session cookie travels unencrypted')
}
