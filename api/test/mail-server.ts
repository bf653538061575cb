import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail that arrived, with its text as it was sent. */
type ArrivedMail = { to: string; raw: string; text: string; subject: string; id: string }

/** A real server for mail on loopback, which a test can make refuse. */
export class MailServer {
  readonly arrived: ArrivedMail[] = []
  /** Recipients that were named, also those that were refused. */
  readonly named: string[] = []
  /** The names by which callers introduced themselves. */
  readonly greeted = new Set<string>()
  /** The answer to a recipient; null: accepted. */
  refusal: ((to: string) => { code: number; text: string } | null) | null = null
  /** The answer to a whole mail; null: accepted; 'none': the connection ends without one. */
  verdict: ((to: string) => { code: number; text: string } | 'none' | null) | null = null
  readonly #options: SMTPServerOptions
  #server: SMTPServer | null = null
  port = 0

  constructor(options: SMTPServerOptions = {}) {
    this.#options = options
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      logger: false,
      onRcptTo: ({ address }, { hostNameAppearsAs }, done) => {
        this.greeted.add(hostNameAppearsAs)
        this.named.push(address)
        const refused = this.refusal?.(address) ?? null
        done(refused === null ? null : Object.assign(new Error(refused.text), { responseCode: refused.code }))
      },
      onData: (stream, { id, envelope }, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const to = envelope.rcptTo[0]?.address ?? ''
          this.#keep(Buffer.concat(chunks).toString('utf8'), to)
          const verdict = this.verdict?.(to) ?? null
          if (verdict !== 'none')
            return done(verdict && Object.assign(new Error(verdict.text), { responseCode: verdict.code }))
          for (const each of server.connections) if (each.id === id) each.close()
        })
      },
      ...this.#options,
    })
    server.on('error', () => undefined)
    server.listen(this.port, '127.0.0.1')
    await once(server.server, 'listening')
    this.port = (server.server.address() as AddressInfo).port
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server) await new Promise<void>((resolve) => server.close(resolve))
  }

  to(address: string): ArrivedMail[] {
    return this.arrived.filter(({ to }) => to === address)
  }

  #keep(raw: string, to: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(raw)?.[1]?.trim() ?? ''
    const [, plain = ''] = /Content-Type: text\/plain.*?\r\n\r\n(.*?)\r\n-{2}/is.exec(raw) ?? []
    this.arrived.push({ to, raw, text: decoded(plain), subject: field('Subject'), id: field('Message-ID') })
  }
}

// Quoted-printable.
function decoded(text: string): string {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n')
}
