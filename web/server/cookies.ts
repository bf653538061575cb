import type { FastifyReply, FastifyRequest } from 'fastify'

export type Cookie = {
  name: string
  value: string
  maxAgeSeconds: number
  /** Sent only over https. */
  isSecure: boolean
}

/** A cookie that, over https, no other host of the domain can set. Browsers allow the prefix only there. */
export function ownCookie(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name
}

/** The names of the request's cookies, in its order. */
export function cookieNames(request: FastifyRequest): string[] {
  return (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 1)[0] ?? '')
}

/** All values that the request carries under this name. More than one means that another site has set a cookie. */
export function cookieValues(request: FastifyRequest, name: string): string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}

/** Set a cookie that scripts cannot read and that other sites' forms and fetches do not send. */
export function setCookie(reply: FastifyReply, { name, value, maxAgeSeconds, isSecure }: Cookie): void {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
  if (isSecure) attributes.push('Secure')
  reply.header('set-cookie', [`${name}=${value}`, ...attributes].join('; '))
}

export function clearCookie(reply: FastifyReply, cookie: Pick<Cookie, 'name' | 'isSecure'>): void {
  setCookie(reply, { ...cookie, value: '', maxAgeSeconds: 0 })
}
