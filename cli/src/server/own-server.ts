import http from 'node:http'
import { connect, type Socket } from 'node:net'
import { canLookUpUsers, servingUser } from '@keyferry/plumbing/socket-user'
import { NetworkError } from '../base/exchange.ts'
import type { Environment } from '../base/parts.ts'

const ROOT = 0

/** An agent for servers on this machine. Any user can take a port while the server is down, so it looks up who serves
 * each new connection before it sends anything. Only this user, root, and for root the caller of sudo, may serve.
 * Elsewhere than on Linux it cannot look them up, and connects to any. */
export function ownServerAgent(env: Environment, options: http.AgentOptions): http.Agent {
  const ownUser = process.geteuid?.()
  if (!canLookUpUsers(process.platform) || ownUser === undefined) return new http.Agent(options)
  const users = [ROOT, ownUser, ...(ownUser === ROOT ? [Number(env['SUDO_UID'])] : [])]
  return new OwnServerAgent(users, options)
}

class OwnServerAgent extends http.Agent {
  readonly #users: readonly number[]

  constructor(users: readonly number[], options: http.AgentOptions) {
    super(options)
    this.#users = users
  }

  override createConnection(
    options: { host?: string | null | undefined; port?: string | number | null | undefined },
    done: (error: Error | null, socket: Socket) => void = () => undefined,
  ): null {
    const socket = connect({ host: options.host ?? 'localhost', port: Number(options.port) })
    socket.once('error', (error) => done(error, socket))
    socket.once('connect', () => {
      void this.#admit(socket, done)
    })
    return null
  }

  async #admit(socket: Socket, done: (error: Error | null, socket: Socket) => void): Promise<void> {
    try {
      const user = await servingUser(socket)
      // Without a user root redirects the connection, as Docker and WSL do.
      if (user !== null && !this.#users.includes(user))
        throw new NetworkError('EOTHERUSER', `it runs as another user of this machine (${user})`)
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)))
      return
    }
    done(null, socket)
  }
}
