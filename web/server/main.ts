import { randomUUID } from 'node:crypto'
import { createServer, isIPv6 } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { AuthMode } from '@keyferry/contract'
import { freePort } from '@keyferry/plumbing/free-port'
import { announceEnd, createHttpServer, drain } from '@keyferry/plumbing/http-server'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { serveClientFiles } from './client-files/serve.ts'
import { forwardEndpoints } from './forwarding/forward.ts'
import { OpenCalls } from './forwarding/open-calls.ts'
import { serveHealth } from './health.ts'
import { guardOwnEndpoints, serveOwn } from './http/own-endpoints.ts'
import { refuseOtherUsers } from './http/own-user.ts'
import { refuseDoubledIdentity, refuseStrangeTarget } from './http/request-headers.ts'
import { type OriginRules, requireOwnHost } from './http/same-origin.ts'
import { createIdentity } from './identity/create.ts'
import type { Identity } from './identity/identity.ts'
import { type ApiConnection, connectApi } from './internal-api/api-connection.ts'
import { createSigner } from './internal-api/signed-call.ts'
import { AppFiles } from './pages/app-files.ts'
import { answerErrors } from './pages/error-answer.ts'
import { servePages } from './pages/pages.ts'
import { createLog, logCalls } from './request-log.ts'
import { sendSecurityHeaders } from './security-headers.ts'
import { serveSecurityTxt } from './security-txt.ts'
import { serveClearing } from './sessions/session-cookie.ts'
import type { SessionStore } from './sessions/session-store.ts'
import type { Listening, WebSettings } from './settings.ts'

export { idpUserId } from './identity/idp-user-id.ts'
export { endSessionsOf } from './sessions/open-store.ts'
export type { IdentitySettings, WebSettings } from './settings.ts'

export type Web = {
  readonly address: string
  /** @param drainSeconds `/readyz` says so this long before */
  close: (drainSeconds?: number) => Promise<void>
}

/** For tests. `now`: epoch milliseconds. `appFolder`: the folder of the built browser app. */
export type WebParts = { now: () => number; appFolder: string; log: Logger }

const BUILT_APP = fileURLToPath(new URL('../app/dist/', import.meta.url))

/** Start the web-facing layer.
 * @throws Error: what listening throws, such as `EADDRINUSE` */
export async function startWeb(settings: WebSettings, parts: Partial<WebParts> = {}): Promise<Web> {
  const { now = Date.now, appFolder = BUILT_APP, log = createLog(settings.logLevel) } = parts
  const sign = createSigner(() => settings.sharedSecrets[0], now)
  const api = connectApi(settings.api, sign)
  const app = createApp(settings)
  const openCalls = new OpenCalls()
  const listen = await withPort(settings.listen)
  const publicUrl = settings.publicUrl ?? addressOf(listen)
  const originRules = { publicUrl, openToLoopback: settings.identity.mode === 'local' }
  const { identity, store } = await createIdentity(settings, { api, sign, log, publicUrl, now })
  const files = new AppFiles(appFolder)
  addHooks(app, { settings, log, files, originRules, identity })
  const closeMetrics = await measure(app, settings.metrics)
  serveHealth(app, { version: settings.version, api, store, sign, now, log })
  serveClientFiles(app, { folder: settings.clientDir, version: settings.version, publicUrl })
  const contact = settings.securityContact
  if (contact !== null) serveSecurityTxt(app, { contact, publicUrl, now })
  const { mode } = settings.identity
  serveSession(app, { identity, mode })
  const { maxBodyBytes, saysSignIn } = settings
  forwardEndpoints(app, { mode, api, identity, sign, originRules, maxBodyBytes, openCalls, saysSignIn })
  identity.addRoutes(app, files)
  if (store) await addSessionParts(app, settings, { api, store, now, publicUrl })
  servePages(app, { files, identity, isHttps: isHttps(settings) })
  const address = await listenAt(app, listen)
  const close = async (drainSeconds = 0) => {
    await announceEnd(app, drainSeconds)
    openCalls.endWaits()
    await drain(app, { ms: settings.stopSeconds * 1_000, giveUp: () => openCalls.endAll() })
    await Promise.all([api.close(), store?.close(), closeMetrics()])
  }
  return { address, close }
}

function createApp(settings: WebSettings): FastifyInstance {
  const { trustProxy, trustProxyHeader, maxBodyBytes, maxConnectionsPerAddress } = settings
  const app = createHttpServer({
    maxBodyBytes,
    trusted: { proxies: trustProxy, header: trustProxyHeader },
    newRequestId: () => randomUUID(),
    connectionBound: { perAddress: maxConnectionsPerAddress, except: trustProxy },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  return app
}

type HookOptions = {
  settings: WebSettings
  log: Logger
  files: AppFiles
  originRules: OriginRules
  identity: Identity
}

function addHooks(app: FastifyInstance, { settings, log, files, originRules, identity }: HookOptions): void {
  answerErrors(app, { log, files })
  logCalls(app, log)
  sendSecurityHeaders(app, { isHttps: isHttps(settings), formTargets: formTargetsOf(settings) })
  app.addHook('onRequest', async (request) => {
    refuseStrangeTarget(request.raw)
    refuseDoubledIdentity(request.raw.rawHeaders)
    if (settings.identity.mode === 'local') requireOwnHost(request, originRules)
  })
  if (settings.identity.mode === 'local') refuseOtherUsers(app)
  guardOwnEndpoints(app, { rules: originRules, identify: (request) => identity.identify(request) })
}

function isHttps({ publicUrl }: WebSettings): boolean {
  return publicUrl?.startsWith('https:') === true
}

async function addSessionParts(
  app: FastifyInstance,
  settings: WebSettings,
  parts: { api: ApiConnection; store: SessionStore; now: () => number; publicUrl: string },
): Promise<void> {
  serveClearing(app, parts.publicUrl)
  const { identity, identityWebhookSecret: secret, provesEmail } = settings
  if (secret === null) return
  const { receiveIdentityEvents } = await import('./identity/identity-events.ts')
  const issuer = identity.mode === 'oidc' ? identity.issuer : null
  receiveIdentityEvents(app, { ...parts, secret, issuer, provesEmail })
}

async function nothing(): Promise<void> {}

async function measure(app: FastifyInstance, place: WebSettings['metrics']): Promise<() => Promise<void>> {
  if (place === null) return nothing
  const { countCalls, serveMetrics } = await import('@keyferry/plumbing/metrics')
  countCalls(app, 'web')
  return place === 'elsewhere' ? nothing : await serveMetrics(place)
}

function formTargetsOf({ identity }: WebSettings): readonly string[] {
  return identity.mode === 'oidc' ? [new URL(identity.issuer).origin] : []
}

type SessionState = { identity: Identity; mode: AuthMode }

function serveSession(app: FastifyInstance, { identity, mode }: SessionState): void {
  serveOwn(app, 'getSession', async ({ request }) => ({
    auth_mode: mode,
    signed_in: await identity.isSignedIn(request),
    ...(await identity.sessionFacts?.()),
  }))
}

/** Choose the port first, so that every part knows our address. */
async function withPort(listening: Listening): Promise<Listening> {
  if ('sockets' in listening || listening.port !== 0) return listening
  return { ...listening, port: await freePort(listening.host) }
}

/** Our address. With inherited sockets, people reach the server at PUBLIC_URL only.
 * @throws Error: inherited sockets */
function addressOf(listening: Listening): string {
  if ('sockets' in listening) throw new Error('inherited sockets need PUBLIC_URL')
  const { host, port } = listening
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** Listen, and return the address of the first socket. */
async function listenAt(app: FastifyInstance, listening: Listening): Promise<string> {
  if (!('sockets' in listening)) return await app.listen(listening)
  const [first, ...others] = listening.sockets
  // An HTTP server listens on one socket, so the others hand their connections to it.
  for (const fd of others) {
    const server = createServer((socket) => app.server.emit('connection', socket))
    app.addHook('preClose', async () => void server.close())
    server.listen({ fd })
  }
  // Node ignores the host of a descriptor. Without a host, Fastify opens a second socket for localhost.
  const inherited = { fd: first, host: '127.0.0.1' }
  return await app.listen(inherited)
}
