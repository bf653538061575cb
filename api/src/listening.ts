import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { ApiSettings } from './settings.ts'

/** Listen where the settings say; only the owner of a socket can connect to it.
 * @returns `http://host:port`, or the socket's path
 * @throws Error with one line for the operator: the address is in use */
export async function listen(app: FastifyInstance, { listen: place }: ApiSettings): Promise<string> {
  if ('port' in place) return app.listen({ host: place.host, port: place.port })
  await clearSocket(place.socketPath)
  await app.listen({ path: place.socketPath })
  chmodSync(place.socketPath, 0o600)
  return place.socketPath
}

// A killed process leaves its socket behind; remove it. If a server still answers there, refuse to start.
async function clearSocket(path: string): Promise<void> {
  const socket = connect(path)
  const answers = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  if (answers) throw new Error(`another server is running with this data folder (it answers at ${path})`)
  rmSync(path, { force: true })
}
