import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'

export type TlsFront = {
  /** `https://localhost:PORT` */
  readonly url: string
  /** Its certificate, which is its own authority. */
  readonly certificateFile: string
  readonly close: () => void
}

/** Answers TLS connections and hands what they carry to a port of this machine.
 * @param folder for its key and certificate */
export async function startTlsFront(folder: string, backendPort: number): Promise<TlsFront> {
  const [keyFile, certificateFile] = [join(folder, 'front.key'), join(folder, 'front.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...names]
  execFileSync('openssl', [...made, '-keyout', keyFile, '-out', certificateFile], { stdio: 'ignore' })
  const pair = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) }
  const server = createServer(pair, (front) => {
    const back = connect(backendPort, '127.0.0.1')
    front.pipe(back).pipe(front)
    front.on('error', () => back.destroy())
    back.on('error', () => front.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `https://localhost:${port}`, certificateFile, close: () => void server.close() }
}
