import { randomBytes, randomInt } from 'node:crypto'
import { connect } from 'node:net'

export type HttpFuzzResult = {
  readonly sent: number
  /** How many answers there were of each status; 0: the connection was closed without one. */
  readonly statuses: Readonly<Record<string, number>>
  /** The beginning of what was sent, in base64, where the answer was a failure of the server's own or not what an
   * error has to be. */
  readonly wrong: readonly string[]
}

const ANSWER_WITHIN_MS = 5_000
// Long enough for a server that other tests keep busy.
const SILENCE_MS = 1_000
const CALLERS = 16
const SHOWN_BYTES = 600
const ODD_BYTES = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\t',
  ' ',
  ':',
  '%',
  '/',
  '\\',
  '"',
  '\u00ff',
  '{',
  '}',
  ',',
  '..',
]
const HEADERS = `X-User-ID: a|x_tenant_id: b|X-Signature: sha256=00|X-Signature-V2: t=1;n=a;s=b
X-Forwarded-For: 1.2.3.4, 5|X-Poll-Verifier: zz|Cookie: __session=a; __session=b|Expect: 100-continue
Transfer-Encoding: chunked|Content-Length: 3|Content-Length: -1|Content-Encoding: gzip|Upgrade: h2c
Connection: upgrade|Host: b.example|Origin: null|Range: bytes=0-1|X-Request-Id: \u00e9`.split(/[|\n]/)

/** Send mutated requests of the approval flow as raw bytes, so many, and look at every answer. */
export async function fuzzHttp(address: string, count: number): Promise<HttpFuzzResult> {
  const statuses: Record<string, number> = {}
  const wrong: string[] = []
  let left = count
  const caller = async () => {
    while (left-- > 0) {
      const bytes = mutated(pick(seeds(address)))
      const answer = await exchange(address, bytes)
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? '0'
      statuses[status] = (statuses[status] ?? 0) + 1
      if (!isFine(Number(status), answer)) wrong.push(bytes.subarray(0, SHOWN_BYTES).toString('base64'))
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return { sent: count, statuses, wrong }
}

// Node itself refuses a request without a Host, and an Expect that it does not know, and says no more than the status.
function isFine(status: number, answer: string): boolean {
  if (status === 0) return answer === ''
  if (status >= 500) return false
  const isJsonError = answer.includes('"error":') && answer.includes('"code":')
  const isBare = (status === 400 || status === 417) && answer.endsWith('\r\n\r\n0\r\n\r\n')
  return status < 400 || isJsonError || isBare || answer.includes('text/html')
}

function seeds(address: string): string[] {
  const { host } = new URL(address)
  const id = randomBytes(16).toString('hex')
  const key = randomBytes(32).toString('base64')
  const peer = `X-Forwarded-For: 10.${[...randomBytes(3)].join('.')}`
  const post = (path: string, body: object) => {
    const text = JSON.stringify(body)
    const type = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}`
    return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${peer}\r\n${type}\r\n\r\n${text}`
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${peer}\r\n\r\n`
  return [
    post('/api/v1/requests', { client_pubkey: key, format: 'sh', meta: { hostname: 'h', command: 'c' } }),
    post(`/api/v1/requests/${id}/encrypt-from-bundle`, { bundle_id: id, include_keys: ['A'] }),
    post('/api/v1/keys', { name: `F_${id}`, value: 'v', is_secret: true }),
    get(`/api/v1/requests/${id}/wait?interval=3`),
    get(`/api/v1/requests/${id}/context`),
    get('/api/v1/keys?query=a&limit=1&offset=0'),
    get(`/approve/${id}`),
  ]
}

function mutated(seed: string): Buffer {
  let text = seed
  for (let count = randomInt(1, 5); count > 0; count--) text = pick(MUTATIONS)(text)
  return Buffer.from(text, 'latin1')
}

const MUTATIONS: readonly ((text: string) => string)[] = [
  (text) => splice(text, 0, pick(ODD_BYTES)),
  (text) => splice(text, 1, pick(ODD_BYTES)),
  (text) => splice(text, randomInt(1, 20), ''),
  (text) => splice(text, 0, randomBytes(randomInt(1, 12)).toString('latin1')),
  (text) => text.replace('\r\n', `\r\n${pick(HEADERS)}\r\n`),
  (text) => text.replace('\r\n', `\r\nX-Long: ${'a'.repeat(randomInt(100, 20_000))}\r\n`),
  (text) =>
    text.replace(/"[^"]*"(?=[,}\]])/, () =>
      pick(['null', '{}', '[]', '1e999', '"\\ud800"', '"\\u0000"', 'true']),
    ),
  (text) => text.replace(/Content-Length: \d+/, `Content-Length: ${randomInt(0, 400)}`),
]

function splice(text: string, removed: number, added: string): string {
  const at = randomInt(text.length)
  return text.slice(0, at) + added + text.slice(at + removed)
}

function pick<T>(items: readonly T[]): T {
  const item = items[randomInt(items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

function exchange(address: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(address)
  const { promise, resolve } = Promise.withResolvers<string>()
  let answer = ''
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    answer += chunk
    if (isWhole(answer)) socket.destroy()
  })
  // A server that waits for more of a request learns that there is none.
  socket.setTimeout(SILENCE_MS, () => socket.end())
  setTimeout(() => socket.destroy(), ANSWER_WITHIN_MS).unref()
  socket.on('error', () => {})
  socket.once('close', () => resolve(answer))
  socket.write(bytes)
  return promise
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1]
  return head > 0 && length !== undefined && answer.length >= head + 4 + Number(length)
}
