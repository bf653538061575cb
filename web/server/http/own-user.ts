import type { Socket } from 'node:net'
import { canLookUpUsers, peerUser } from '@keyferry/plumbing/socket-user'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { forbidden, type Refusal } from './refusal.ts'

const ROOT = 0

/** Refuse other users of this machine, for a server without sign-in. Linux only: on other systems a server cannot find
 * out who opened a local connection. Root is allowed, because root can read the data anyway. */
export function refuseOtherUsers(app: FastifyInstance): void {
  const ownUser = process.getuid?.()
  if (!canLookUpUsers(process.platform) || ownUser === undefined) return
  // Look the user up once for each connection, at its first request, so that idle connections cost nothing. If the peer
  // has closed the connection, the system shows no user: the call is refused, and the peer reads no answer.
  const users = new WeakMap<Socket, Promise<number | null>>()
  const userOf = (socket: Socket): Promise<number | null> => {
    const user = users.get(socket) ?? peerUser(socket)
    users.set(socket, user)
    return user
  }
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const user = await userOf(request.raw.socket)
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
