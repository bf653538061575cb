import { JoinWithAccount, LogIn, SetUpAccount } from '@keyferry/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ApiConnection } from '../api-connection.ts'
import { Refusal } from '../refusal.ts'
import { readJson } from '../request-body.ts'
import { headersToHandOn } from '../request-headers.ts'
import { type OriginRules, requireSameOrigin } from '../same-origin.ts'
import { sessionCookie } from '../session-cookie.ts'
import type { AppPages, Identity } from './identity.ts'
import { askedReturn } from './return-path.ts'
import { addSessionRoutes } from './session-routes.ts'
import { personOf, type Sessions } from './sessions.ts'

const MAX_FORM_BYTES = 16_384

export type AccountsOptions = { api: ApiConnection; sessions: Sessions; originRules: () => OriginRules }

/** People sign in with an e-mail address and a password that the API keeps, and get a session of ours. */
export function accountsIdentity(options: AccountsOptions): Identity {
  const { api, sessions, originRules } = options
  // An account that was set up stays; only the answer that none is there has to be asked for again.
  let isSetUp = false
  const isSetupRequired = async () => {
    isSetUp ||= !(await api.call('GET', '/api/v1/auth/setup')).required
    return !isSetUp
  }
  return {
    async identify(request) {
      const session = await sessions.find(request)
      return session && personOf(session)
    },
    isSignedIn: async (request) => (await sessions.find(request)) !== null,
    chooseTenant: async (request, _reply, tenantId) => await sessions.chooseTenant(request, tenantId),
    requireOneSession: sessionCookie,
    isSetupRequired,
    signInPath: (path) => `${path.startsWith('/invite/') ? '/sign-up' : '/sign-in'}${returning(path)}`,
    addRoutes(app, pages) {
      addPages(app, pages, { sessions, isSetupRequired })
      addForms(app, options)
      addSessionRoutes(app, { sessions, originRules, afterSignOut: async () => '/' })
    },
  }
}

function returning(path: string): string {
  return `?return_to=${encodeURIComponent(path)}`
}

type PageOptions = { sessions: Sessions; isSetupRequired: () => Promise<boolean> }

function addPages(app: FastifyInstance, pages: AppPages, { sessions, isSetupRequired }: PageOptions): void {
  const form = async (request: FastifyRequest, reply: FastifyReply) => {
    if (await sessions.find(request)) return reply.redirect(askedReturn(request.url), 302)
    if (await isSetupRequired()) return reply.redirect('/set-up', 302)
    return await pages.send(reply, 'index.html')
  }
  app.get('/sign-in', form)
  app.get('/sign-up', form)
  app.get('/set-up', async (_request, reply) =>
    (await isSetupRequired()) ? await pages.send(reply, 'index.html') : reply.redirect('/sign-in', 302),
  )
}

type NewSession = { user_id: string; tenant_id: string; joined_tenant_id?: string }

function addForms(app: FastifyInstance, { api, sessions, originRules }: AccountsOptions): void {
  const begin = async (request: FastifyRequest, reply: FastifyReply, account: NewSession) => {
    const { user_id: userId, tenant_id: personalTenantId, joined_tenant_id: joined } = account
    const facts = {
      idpUserId: `user_${userId}`,
      userId,
      personalTenantId,
      providerSessionId: null,
      idToken: null,
    }
    await sessions.begin(request, reply, { ...facts, tenantId: joined ?? personalTenantId })
    return { ok: true }
  }
  app.post('/sign-in', async (request, reply) => {
    const call = { body: await formOf(request, LogIn, originRules), headers: headersToHandOn(request) }
    return await begin(request, reply, await api.call('POST', '/api/v1/auth/login', call))
  })
  app.post('/set-up', async (request, reply) => {
    const call = { body: await formOf(request, SetUpAccount, originRules), headers: headersToHandOn(request) }
    return await begin(request, reply, await api.call('POST', '/api/v1/auth/setup', call))
  })
  app.post('/sign-up', async (request, reply) => {
    const call = {
      body: await formOf(request, JoinWithAccount, originRules),
      headers: headersToHandOn(request),
    }
    return await begin(request, reply, await api.call('POST', '/api/v1/auth/join', call))
  })
}

/** A form of ours, sent by our own page, or by a program that is no browser: nobody's cookie stands behind it.
 * @throws Refusal forbidden · invalid · too_large */
async function formOf<S extends z.ZodType>(
  request: FastifyRequest,
  schema: S,
  originRules: () => OriginRules,
): Promise<z.output<S>> {
  if (isFromBrowser(request)) requireSameOrigin(request, originRules())
  const result = schema.safeParse(await readJson(request, MAX_FORM_BYTES))
  if (result.success) return result.data
  throw new Refusal(400, 'invalid', result.error.issues[0]?.message ?? 'invalid')
}

function isFromBrowser({ headers }: FastifyRequest): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}
