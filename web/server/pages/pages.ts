import { requestIdOf } from '@keyferry/contract/approval-link'
import { ALSO_HEAD } from '@keyferry/plumbing/http-server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cookieValues, ownCookie, setCookie } from '../cookies.ts'
import type { Identity } from '../identity/identity.ts'
import { type AppFile, type AppFiles, sendFile, sendFilledIn } from './app-files.ts'

/** Addresses of the app that only a signed-in person can use. */
const SIGNED_IN_PAGES = [
  '/w/*',
  '/bundles',
  '/bundles/*',
  '/apps/*',
  '/keys',
  '/keys/*',
  '/expiry',
  '/activity',
  '/activity/*',
  '/machines',
  '/waiting',
  '/waiting/*',
  '/machines/*',
  '/members',
  '/rules',
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

/** The query of the approval page's address after a click on a web page: `?from=link`. */
const MARK = { name: 'from', value: 'link' } as const

const COOKIE = 'keyferry_opened'
const COOKIE_SECONDS = 900
const MOST_REQUESTS = 5
const REQUEST_ID = /^[0-9a-f]{32}$/

/** The address for the approval page, marked if a web page led to it instead of a terminal.
 * For a terminal, a bookmark or a typed address the browser sends `Sec-Fetch-Site: none`. A sign-in in between ends
 * with a redirect from another site, so a cookie records which requests this browser has opened directly. Every other
 * way to the page counts as a link.
 * @param isSecure whether this layer is served over https */
function approvalAddress(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): string {
  const address = new URL(request.url, 'http://ours.invalid')
  const path = address.pathname + address.search
  if (address.searchParams.get(MARK.name) === MARK.value) return path
  const requestId = address.pathname.split('/')[2] ?? ''
  const opened = openedRequests(request, isSecure)
  if (opened.includes(requestId)) return path
  if (wasOpenedByPage(request)) {
    address.searchParams.set(MARK.name, MARK.value)
    return address.pathname + address.search
  }
  if (!REQUEST_ID.test(requestId)) return path
  const value = [requestId, ...opened].slice(0, MOST_REQUESTS).join('.')
  setCookie(reply, { name: ownCookie(COOKIE, isSecure), value, maxAgeSeconds: COOKIE_SECONDS, isSecure })
  return path
}

/** Whether a page led here. Browsers that do not send Sec-Fetch-Site may send that page as the referrer. */
function wasOpenedByPage({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.referer !== undefined : site !== 'none'
}

function openedRequests(request: FastifyRequest, isSecure: boolean): string[] {
  const [value = '', ...planted] = cookieValues(request, ownCookie(COOKIE, isSecure))
  return planted.length > 0 ? [] : value.split('.').filter((id) => id !== '')
}
