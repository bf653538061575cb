import { failureFacts } from '@keyferry/plumbing/failure'
import type { Logger } from 'pino'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Sign } from '../internal-api/signed-call.ts'
import { openSessionStore } from '../sessions/open-store.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import type { WebSettings } from '../settings.ts'
import type { Identity, IdentityModule, SessionIdentityOptions } from './identity.ts'
import { localIdentity } from './local.ts'
import * as modules from './modules.ts'

export type ProgramParts = {
  api: ApiConnection
  sign: Sign
  log: Logger
  publicUrl: string
  /** Epoch milliseconds. */
  now: () => number
}

/** The identity strategy that AUTH_MODE names, and the store of its sessions; null: the mode has none. Each mode loads
 * only its own dependencies. */
export async function createIdentity(settings: WebSettings, parts: ProgramParts) {
  if (settings.identity.mode === 'local') return { identity: localIdentity(parts.api), store: null }
  const { log, now } = parts
  const onError = (error: Error) => log.error(failureFacts(error), 'session store')
  const store = await openSessionStore(settings, { now, onError, times: settings.sessionTimes })
  return { identity: await hostedIdentity(settings, { ...parts, store }), store }
}

type Hosted = ProgramParts & { store: SessionStore }

async function hostedIdentity(settings: WebSettings, parts: Hosted): Promise<Identity> {
  const { identity } = settings
  const { store, now, publicUrl } = parts
  const { provesEmail } = settings
  if (identity.mode === 'clerk') {
    const { clerkIdentity } = await import('./clerk/clerk.ts')
    return clerkIdentity({ ...parts, settings: identity, provesEmail })
  }
  const { Sessions } = await import('../sessions/sessions.ts')
  const isSecure = publicUrl.startsWith('https:')
  const way = identity.mode === 'oidc' ? `oidc ${identity.issuer.replace(/\/$/, '')}` : identity.mode
  const sessions = new Sessions({ store, now, isSecure, maxMs: settings.sessionTimes.maxMs, way })
  const own = { ...parts, sessions, secret: settings.sharedSecrets[0], provesEmail }
  if (identity.mode === 'oidc') {
    const { oidcIdentity } = await import('./oidc/oidc.ts')
    return oidcIdentity({ ...own, settings: identity })
  }
  return await openModule(identity.mode, own)
}

async function openModule(mode: string, options: SessionIdentityOptions): Promise<Identity> {
  const module = new Map<string, IdentityModule>(Object.entries(modules)).get(mode)
  if (module === undefined) throw new Error(`this server cannot sign people in with AUTH_MODE=${mode}`)
  return await module.openIdentity(options)
}
