// A receiver of Keyferry's webhooks for Node.js 18 and newer, without dependencies.
// WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64')
const TOLERANCE_SECONDS = 300
const MAX_BYTES = 256 * 1024
const seen = new Set()

const server = createServer((request, response) => {
  const chunks = []
  let bytes = 0
  request.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > MAX_BYTES) request.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8')
    if (!isGenuine(request.headers, body)) {
      response.writeHead(401).end()
      return
    }
    response.writeHead(204).end() // Answer first: work that takes longer than 15 s would count as a failure.
    try {
      receive(request.headers['webhook-id'], JSON.parse(body))
    } catch (error) {
      console.error(`unexpected message: ${error.message}`) // Later versions of Keyferry may send other messages.
    }
  })
})

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest()
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',')
    const given = Buffer.from(value, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function receive(id, { type, data }) {
  if (seen.has(id)) return // A message can come twice.
  seen.add(id)
  const keys = (data.keys ?? []).map(({ name }) => name)
  console.log([type, data.bundle?.name, ...keys, data.url].filter(Boolean).join(' '))
}

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () =>
  console.log(`ready ${server.address().port}`),
)
