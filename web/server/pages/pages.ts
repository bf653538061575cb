import { requestIdOf } from '@keyferry/contract/approval-link'
import { ALSO_HEAD } from '@keyferry/plumbing/http-server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../identity/identity.ts'
import { type AppFile, type AppFiles, sendFile, sendFilledIn } from './app-files.ts'
import { approvalAddress, wasOpenedByPage } from './approval-arrival.ts'

/** Addresses of the app that only a signed-in person can use. */
const SIGNED_IN_PAGES = [
  '/w/*',
  '/bundles',
  '/bundles/*',
  '/apps/*',
  '/keys',
  '/keys/*',
  '/expiry',
  '/compare',
  '/activity',
  '/activity/*',
  '/machines',
  '/waiting',
  '/waiting/*',
  '/machines/*',
  '/members',
  '/rules',
  '/workspace',
  '/settings',
  '/settings/*',
  '/account',
  '/invite/:token',
]

const APPROVAL_PAGE = '/approve/:request_id'
/** What the client prints. A browser keeps the fragment of the address through the redirect. */
const SHORT_APPROVAL_PAGE = '/a/:short'

type PageOptions = { files: AppFiles; identity: Identity; isHttps: boolean }

/** Serve the browser app: its pages, its files, and its not-found page for any other address. */
export function servePages(app: FastifyInstance, { files, identity, isHttps }: PageOptions): void {
  const signedIn = async (request: FastifyRequest, reply: FastifyReply) => {
    if (await identity.isSignedIn(request)) return await files.send(reply, 'index.html')
    return reply.redirect(identity.signInPath(request.url), 302)
  }
  app.get('/', ALSO_HEAD, async (request, reply) => {
    identity.requireOneSession(request)
    return await files.send(reply, 'index.html')
  })
  for (const path of SIGNED_IN_PAGES) app.get(path, ALSO_HEAD, signedIn)
  app.get(APPROVAL_PAGE, ALSO_HEAD, async (request, reply) => {
    const address = approvalAddress(request, reply, isHttps)
    if (!(await identity.isSignedIn(request))) return sendToSignIn(files, reply, identity.signInPath(address))
    if (address !== request.url) return reply.redirect(address, 302)
    allowFormsToOwnComputer(reply)
    return await files.send(reply, 'approve.html')
  })
  app.get<{ Params: { short: string } }>(SHORT_APPROVAL_PAGE, ALSO_HEAD, async (request, reply) => {
    const id = requestIdOf(request.params.short)
    const address = new URL(request.url, 'http://ours.invalid')
    // A browser may leave the page before this one out of the next call.
    if (wasOpenedByPage(request)) address.searchParams.set('from', 'link')
    const path = `/approve/${id}${address.search}`
    if (id !== null) return reply.header('cache-control', 'no-store').redirect(path, 302)
    return await files.send(reply, 'index.html', 404)
  })
  app.setNotFoundHandler(async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.url.startsWith('/api/'))
      return reply.code(404).send({ error: 'not found', code: 'not_found' })
    const file = await files.find(namedFile(request.url))
    if (file) return sendFile(reply, file, cacheControlOf(file))
    return await files.send(reply, 'index.html', 404)
  })
}

function cacheControlOf(file: AppFile): string {
  if (file.isHashed) return 'public, max-age=31536000, immutable'
  return file.type.startsWith('text/html') ? 'no-store' : 'public, max-age=3600'
}

function namedFile(url: string): string {
  const path = url.slice(1).split('?', 1)[0] ?? ''
  return path.endsWith('.html') ? '' : path
}

/** Lead a signed-out person from the approval page to sign-in. A redirect would lose the fragment of the page's
 * address, which only a script can keep; without scripts this page redirects too.
 * @param path of sign-in */
async function sendToSignIn(files: AppFiles, reply: FastifyReply, path: string): Promise<FastifyReply> {
  const file = await files.page('arrive.html')
  return file ? sendFilledIn(reply, file, { path }) : reply.redirect(path, 302)
}

/** Let a form of this page also go to a program on the person's own computer: an approval returns to the client that
 * way. */
function allowFormsToOwnComputer(reply: FastifyReply): void {
  const policy = String(reply.getHeader('content-security-policy'))
  const targets = "form-action 'self' http://127.0.0.1:*"
  reply.header('content-security-policy', policy.replace("form-action 'self'", targets))
}
