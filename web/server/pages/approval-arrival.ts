import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieValues, ownCookie, setCookie } from '../cookies.ts'

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
export function approvalAddress(request: FastifyRequest, reply: FastifyReply, isSecure: boolean): string {
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
export function wasOpenedByPage({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.referer !== undefined : site !== 'none'
}

function openedRequests(request: FastifyRequest, isSecure: boolean): string[] {
  const [value = '', ...planted] = cookieValues(request, ownCookie(COOKIE, isSecure))
  return planted.length > 0 ? [] : value.split('.').filter((id) => id !== '')
}
