import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { canLookUpUsers, peerUser } from './peer-user.ts'
import { forbidden, type Refusal } from './refusal.ts'

const ROOT = 0

/** Refuse other users of this machine, for a server without sign-in. Linux only: on other systems a server cannot find out
 * who opened a local connection. Root is allowed, because root can read the data anyway. */
export function refuseOtherUsers(app: FastifyInstance): void {
  const ownUser = process.getuid?.()
  if (!canLookUpUsers || ownUser === undefined) return
  // Look up the user when the connection opens: after the peer has closed its end, the system shows no user.
  const users = new WeakMap<Socket, Promise<number | null>>()
  app.server.on('connection', (socket: Socket) => users.set(socket, peerUser(socket)))
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const user = await users.get(request.raw.socket)
    if (user !== ownUser && user !== ROOT) throw otherUser()
  })
}

function otherUser(): Refusal {
  return forbidden('Forbidden: this server belongs to another user of this machine', {
    note: {
      title: 'This server belongs to another user',
      text: 'It runs in local mode, without sign-in, for the user who started it. Start your own server, or ask that user to set AUTH_MODE so that people can sign in.',
      way: { kind: 'link', label: 'Try again', path: '' },
    },
  })
}
