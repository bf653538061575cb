import { webEndpoints } from '@keyferry/contract'
import { askedReturn } from '@keyferry/contract/return-path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cookieValues } from '../cookies.ts'
import { serveOwn } from '../http/own-endpoints.ts'
import { Refusal } from '../http/refusal.ts'

export const SESSION_COOKIE = '__session'

/** Paths that a second cookie may have, besides the path of the page. */
const PATHS = ['/api', '/api/v1', '/approve', '/bundles', '/keys', '/members', '/account', '/invite']
const MOST_DOMAINS = 2
// Our own paths are not deeper or longer than this. A longer path must not make the answer longer.
const MOST_PARTS = 3
const LONGEST_PATH = 64
/** Proxies allow 4 KiB for the headers of an answer by default; the other headers need the rest. */
const MOST_BYTES = 2_800
const HEADER_BYTES = 'set-cookie: \r\n'.length

/** The session that the request carries; null: none.
 * @throws Refusal unauthorized: two cookies, one of which another site has set */
export function sessionCookie(request: FastifyRequest): string | null {
  const [token, ...more] = cookieValues(request, SESSION_COOKIE)
  if (more.length > 0) throw doubledSession(request)
  return token === undefined || token === '' ? null : token
}

function doubledSession({ url }: FastifyRequest): Refusal {
  const note = {
    title: 'Two session cookies',
    text:
      'Your browser sent two session cookies. Another site of the same domain may have set one of them, so neither ' +
      'is trusted. Clear them, then sign in again. If you see this page again, clear the cookies of this site in ' +
      'your browser settings.',
    way: {
      kind: 'post',
      label: 'Clear the session cookies',
      path: `${webEndpoints.clearSession.path}?return_to=${encodeURIComponent(url)}`,
    },
  } as const
  return new Refusal(401, 'unauthorized', 'Unauthorized', { note })
}

/** Let a person with two session cookies delete both and sign in again. */
export function serveClearing(app: FastifyInstance, publicUrl: string): void {
  serveOwn(app, 'clearSession', async ({ request, reply }) => {
    const returnTo = askedReturn(request.url)
    const { hostname } = new URL(publicUrl)
    return reply.header('set-cookie', deletions(hostname, returnTo)).redirect(returnTo, 303)
  })
}

// To delete a cookie, its domain and path must match, and the browser sends neither. So delete the likely combinations,
// the likeliest first, as many as fit into the answer.
function deletions(hostname: string, page: string): string[] {
  const paths = new Set(['/', ...pathsAbove(page.split(/[?#;]/, 1)[0] ?? '/'), ...PATHS])
  const domains = ['', ...domainsOf(hostname).map((domain) => `; Domain=${domain}`)]
  const lines = [...paths].flatMap((path) =>
    domains.map((domain) => `${SESSION_COOKIE}=; Path=${path}${domain}; Max-Age=0`),
  )
  let left = MOST_BYTES
  return lines.filter((line) => {
    left -= line.length + HEADER_BYTES
    return left >= 0
  })
}

function pathsAbove(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '')
  const paths = parts.slice(0, MOST_PARTS).map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
  return paths.filter(({ length }) => length <= LONGEST_PATH)
}

/** The domains that a cookie for this host may have, the most general first. A browser ignores domains that are too
 * general. */
function domainsOf(hostname: string): string[] {
  if (/^[\d.]+$|:|^[^.]*$/.test(hostname)) return []
  const labels = hostname.split('.')
  const all = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
  return [...new Set([...all.toReversed().slice(0, MOST_DOMAINS), hostname])]
}
