import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'

export type HttpsDoor = {
  readonly url: string
  readonly port: number
  /** The certificate, for programs that trust it. */
  readonly certificate: string
  /** Pass connections on to this port from now on. */
  readonly leadTo: (port: number) => void
  readonly close: () => void
}

/** Serve https at `localhost`, as a proxy in front of a hosted server does.
 * @param folder for its certificate */
export async function openHttpsDoor(folder: string): Promise<HttpsDoor> {
  const [key, certificate] = [join(folder, 'door.key'), join(folder, 'door.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
  let target = 0
  const open = new Set<Socket>()
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    // Each connection comes from another address, so that the rate limit of one address does not slow the tests.
    const localAddress = `127.1.${randomInt(256)}.${randomInt(1, 255)}`
    const inside = connect({ port: target, host: '127.0.0.1', localAddress })
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    for (const [from, to] of [
      [socket, inside],
      [inside, socket],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  })
  server.on('tlsClientError', () => undefined) // an engine may close a connection that it does not need
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}`,
    port,
    certificate,
    leadTo: (inside) => {
      target = inside
    },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
