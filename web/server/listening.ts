import { createServer, isIPv6 } from 'node:net'
import { freePort } from '@keyferry/plumbing/free-port'
import type { FastifyInstance } from 'fastify'
import type { Listening } from './settings.ts'

/** Choose the port first, so that every part knows our address. */
export async function withPort(listening: Listening): Promise<Listening> {
  if ('sockets' in listening || listening.port !== 0) return listening
  return { ...listening, port: await freePort(listening.host) }
}

/** Our address. With inherited sockets, people reach the server at PUBLIC_URL only.
 * @throws Error: inherited sockets */
export function addressOf(listening: Listening): string {
  if ('sockets' in listening) throw new Error('inherited sockets need PUBLIC_URL')
  const { host, port } = listening
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** Listen, and return the address of the first socket. */
export async function listenAt(app: FastifyInstance, listening: Listening): Promise<string> {
  if (!('sockets' in listening)) return await app.listen(listening)
  const [first, ...others] = listening.sockets
  // An HTTP server listens on one socket, so the others hand their connections to it.
  for (const fd of others) {
    const server = createServer((socket) => app.server.emit('connection', socket))
    app.addHook('preClose', async () => void server.close())
    server.listen({ fd })
  }
  // Node ignores the host of a descriptor. Without a host, Fastify opens a second socket for localhost.
  const inherited = { fd: first, host: '127.0.0.1' }
  return await app.listen(inherited)
}
