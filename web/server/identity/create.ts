import { failureFacts } from '@keyferry/plumbing/failure'
import type { Logger } from 'pino'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Sign } from '../internal-api/signed-call.ts'
import { openSessionStore } from '../sessions/open-store.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { WebSettings } from '../settings.ts'
import type { Identity } from './identity.ts'
import { localIdentity } from './local.ts'

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
  const { ACCOUNTS_WAY, Sessions } = await import('../sessions/sessions.ts')
  const isSecure = publicUrl.startsWith('https:')
  const way = identity.mode === 'oidc' ? `oidc ${identity.issuer.replace(/\/$/, '')}` : ACCOUNTS_WAY
  const sessions = new Sessions({ store, now, isSecure, maxMs: settings.sessionTimes.maxMs, way })
  const own = { ...parts, sessions, secret: settings.sharedSecrets[0], provesEmail }
  const addOldWay = await oldWayOf(settings, own)
  const current = await sessionIdentity(settings, own)
  return {
    ...current,
    addRoutes(app, pages) {
      current.addRoutes(app, pages)
      addOldWay(app, pages)
    },
  }
}

type WithSessions = Hosted & { sessions: Sessions; secret: string; provesEmail: boolean }

async function sessionIdentity({ identity }: WebSettings, own: WithSessions): Promise<Identity> {
  if (identity.mode === 'oidc') {
    const { oidcIdentity } = await import('./oidc/oidc.ts')
    return oidcIdentity({ ...own, settings: identity })
  }
  const { accountsIdentity } = await import('./accounts/accounts.ts')
  return accountsIdentity(own)
}

/** The routes of links, and of the old way to sign in. */
async function oldWayOf({ link }: WebSettings, own: WithSessions): Promise<Identity['addRoutes']> {
  const { addUndoLink, linkConfirmer } = await import('./link.ts')
  const confirm = linkConfirmer(own)
  if (link === null) return (app) => addUndoLink(app, own)
  if (link.from === 'accounts') {
    const { addOldAccounts } = await import('./accounts/accounts.ts')
    return (app) => {
      addUndoLink(app, own)
      addOldAccounts(app, { ...own, confirm })
    }
  }
  const { addOldProvider } = await import('./oidc/old-provider.ts')
  return (app, pages) => {
    addUndoLink(app, own)
    addOldProvider(app, { ...own, settings: link, pages, confirm })
  }
}
