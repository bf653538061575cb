import type { FastifyReply, FastifyRequest } from 'fastify'

export type Cookie = {
  name: string
  value: string
  maxAgeSeconds: number
  /** Sent over https alone. */
  isSecure: boolean
}

/** Every value that the request carries under this name: browsers send one, whoever plants a second one sends two. */
export function cookieValues(request: FastifyRequest, name: string): string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}

/** A cookie that no script reads and no foreign page's form or fetch brings along. */
export function setCookie(reply: FastifyReply, { name, value, maxAgeSeconds, isSecure }: Cookie): void {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
  if (isSecure) attributes.push('Secure')
  reply.header('set-cookie', [`${name}=${value}`, ...attributes].join('; '))
}

export function clearCookie(reply: FastifyReply, cookie: Pick<Cookie, 'name' | 'isSecure'>): void {
  setCookie(reply, { ...cookie, value: '', maxAgeSeconds: 0 })
}
