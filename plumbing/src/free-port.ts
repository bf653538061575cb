import { once } from 'node:events'
import { createServer } from 'node:net'

// Systems use ports from 32768 up for outgoing connections. Two processes that ask at once mostly get different ports.
const [FIRST, EACH] = [11_000, 20]

let asked = 0

/** A port of `host` that nothing listens on, and that the system gives to no outgoing connection.
 * @throws Error: something listens on all ports of this process */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tried = 0; tried < EACH; tried++) {
    const port = FIRST + (process.pid % 1_000) * EACH + (asked++ % EACH)
    if (await isFree(port, host)) return port
  }
  throw new Error('no port is free')
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
