import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../identity/identity.ts'
import type { AppFile, AppFiles } from './app-files.ts'
import { approvalAddress } from './approval-arrival.ts'
import { filledIn } from './filled-in.ts'

/** Addresses of the app that only a signed-in person can use. */
const SIGNED_IN_PAGES = [
  '/w/*',
  '/bundles',
  '/bundles/*',
  '/keys',
  '/keys/*',
  '/compare',
  '/activity',
  '/activity/*',
  '/machines',
  '/waiting',
  '/waiting/*',
  '/machines/*',
  '/members',
  '/settings',
  '/settings/*',
  '/account',
  '/invite/:token',
]

const APPROVAL_PAGE = '/approve/:request_id'

type PageOptions = { files: AppFiles; identity: Identity; isHttps: boolean }

/** Serve the browser app: its pages, its files, and its not-found page for any other address. */
export function servePages(app: FastifyInstance, { files, identity, isHttps }: PageOptions): void {
  const signedIn = (entry: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (await identity.isSignedIn(request)) return sendPage(files, reply, { entry, status: 200 })
    return reply.redirect(identity.signInPath(request.url), 302)
  }
  app.get('/', async (request, reply) => {
    identity.requireOneSession(request)
    return await sendPage(files, reply, { entry: 'index.html', status: 200 })
  })
  for (const path of SIGNED_IN_PAGES) app.get(path, signedIn('index.html'))
  app.get(APPROVAL_PAGE, async (request, reply) => {
    const address = approvalAddress(request, reply, isHttps)
    if (!(await identity.isSignedIn(request))) return sendToSignIn(files, reply, identity.signInPath(address))
    if (address !== request.url) return reply.redirect(address, 302)
    allowFormsToOwnComputer(reply)
    return await sendPage(files, reply, { entry: 'approve.html', status: 200 })
  })
  app.setNotFoundHandler(async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || request.url.startsWith('/api/'))
      return reply.code(404).send({ error: 'not found', code: 'not_found' })
    const file = await files.find(namedFile(request.url))
    if (file) return sendFile(reply, file, { cacheControl: cacheControlOf(file) })
    return sendPage(files, reply, { entry: 'index.html', status: 404 })
  })
}

/** Answer with an HTML file of the app that needs no filling in. */
export async function sendPage(
  files: AppFiles,
  reply: FastifyReply,
  { entry, status }: { entry: string; status: number },
): Promise<FastifyReply> {
  const file = await files.page(entry)
  if (file) return sendFile(reply.code(status), file, { cacheControl: 'no-store' })
  const hint = 'The browser app is not built. Build it with: npm run build --workspace web\n'
  return reply.code(503).type('text/plain; charset=utf-8').send(hint)
}

function sendFile(
  reply: FastifyReply,
  file: AppFile,
  { cacheControl }: { cacheControl: string },
): FastifyReply {
  const encoding = encodingFor(reply.request)
  reply.type(file.type).header('cache-control', cacheControl).header('vary', 'accept-encoding')
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(file.encodings[encoding])
}

function cacheControlOf(file: AppFile): string {
  if (file.isHashed) return 'public, max-age=31536000, immutable'
  return file.type.startsWith('text/html') ? 'no-store' : 'public, max-age=3600'
}

function namedFile(url: string): string {
  const path = url.slice(1).split('?', 1)[0] ?? ''
  return path.endsWith('.html') ? '' : path
}

function encodingFor(request: FastifyRequest): keyof AppFile['encodings'] {
  const accepted = (request.headers['accept-encoding'] ?? '').split(',').map((part) => part.trim())
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') ? 'gzip' : 'identity'
}

/** Lead a signed-out person from the approval page to sign-in. A redirect would lose the fragment of the page's
 * address, which only a script can keep; without scripts this page redirects too.
 * @param path of sign-in */
async function sendToSignIn(files: AppFiles, reply: FastifyReply, path: string): Promise<FastifyReply> {
  const file = await files.page('arrive.html')
  if (!file) return reply.redirect(path, 302)
  const html = filledIn(file.encodings.identity.toString('utf8'), { path })
  return reply.type(file.type).header('cache-control', 'no-store').send(html)
}

/** Let a form of this page also go to a program on the person's own computer: an approval returns to the client that
 * way. */
function allowFormsToOwnComputer(reply: FastifyReply): void {
  const policy = String(reply.getHeader('content-security-policy'))
  const targets = "form-action 'self' http://127.0.0.1:*"
  reply.header('content-security-policy', policy.replace("form-action 'self'", targets))
}
