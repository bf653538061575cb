import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWeb, type Web, type WebParts, type WebSettings } from '../server/main.ts'
import { USUAL_TIMES } from '../server/sessions/session-store.ts'

export const SECRET = 'a secret of the tests, long enough to sign'

/** Start the web-facing layer on a free port of loopback. */
export async function startTestWeb(
  apiUrl: string,
  settings: Partial<WebSettings> = {},
  parts: Partial<WebParts> = {},
): Promise<Web> {
  return await startWeb(
    {
      listen: { host: '127.0.0.1', port: 0 },
      publicUrl: null,
      securityContact: null,
      api: { urls: [apiUrl] },
      dataDir: mkdtempSync(join(tmpdir(), 'keyferry-web-')),
      redisUrl: null,
      clientDir: '/no/such/folder',
      sharedSecrets: [SECRET],
      identity: { mode: 'local' },
      provesEmail: true,
      sessionTimes: USUAL_TIMES,
      saysSignIn: false,
      identityWebhookSecret: null,
      maxBodyBytes: 65_536,
      maxConnectionsPerAddress: 1_000,
      trustProxy: [],
      trustProxyHeader: 'X-Forwarded-For',
      stopSeconds: 1,
      metrics: null,
      logLevel: 'silent',
      version: '0.0.0-test',
      ...settings,
    },
    parts,
  )
}

/** Send bytes as they are and read the whole answer: fetch would tidy the headers first. */
export async function sendRaw(address: string, request: string): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.write(request.replaceAll('\n', '\r\n'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
