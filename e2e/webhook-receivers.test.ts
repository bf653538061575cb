import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { makeWebhookSecret, webhookSignatures } from '@keyferry/crypto/webhook-signature'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPrograms } from '../plumbing/test/programs.ts'
import { eventually } from '../plumbing/test/until.ts'
import { ROOT } from './documents.ts'
import { type RunningServer, startServer } from './start-server.ts'

// The receivers of docs/webhooks.md, as files, each sent real messages by a real server.

const RECEIVERS = [
  ['Node.js', process.execPath, 'receiver.mjs'],
  ['Python', 'python3', 'receiver.py'],
  ['Ruby', 'ruby', 'receiver.rb'],
] as const

const RUNNING = RECEIVERS.filter(([, program]) => hasPrograms(program))

type Receiver = { url: string; printed: () => string; child: ChildProcess }

let server: RunningServer
const started: Receiver[] = []

beforeAll(async () => {
  server = await startServer({ env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' } })
})

afterAll(async () => {
  for (const { child } of started) child.kill()
  await server.dispose()
})

/** Start a receiver on a port that is free. The secret is known only after the webhook is made, so the port comes
 * first. */
async function startReceiver(program: string, file: string, env: Record<string, string>): Promise<Receiver> {
  const { PATH = '' } = process.env
  const child = spawn(program, [join(ROOT, 'deploy/webhooks', file)], { env: { PATH, PORT: '0', ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
  const receiver = { url: '', printed: () => text, child }
  started.push(receiver)
  const port = await eventually(() => {
    const ready = /^ready (\d+)$/m.exec(text)?.[1]
    if (ready === undefined) throw new Error(`${file} did not start: ${text}`)
    return ready
  })
  return { ...receiver, url: `http://127.0.0.1:${port}/` }
}

const ODD_BODIES = [
  'null',
  '42',
  '"text"',
  '[]',
  '{}',
  '{"type":"bundle.changed"}',
  '{"type":"bundle.changed","data":null}',
  '{"type":"bundle.changed","data":[]}',
  '{"type":"bundle.changed","data":"text"}',
  '{"type":"bundle.changed","data":{"bundle":null}}',
  '{"type":"bundle.changed","data":{"bundle":"text"}}',
  '{"type":"bundle.changed","data":{"bundle":{"name":[]}}}',
  '{"type":"bundle.changed","data":{"keys":{}}}',
  '{"type":"bundle.changed","data":{"keys":42}}',
  '{"type":"bundle.changed","data":{"keys":[null]}}',
  '{"type":7,"data":{"keys":[{"name":7}]}}',
  '',
  '{',
  '\xff',
  '['.repeat(100_000),
]

test.each(RUNNING)(
  'the receiver for %s survives signed bodies that it does not expect',
  async (_language, ...command) => {
    const secret = makeWebhookSecret()
    const receiver = await startReceiver(...command, { WEBHOOK_SECRET: secret })
    const timestamp = Math.floor(Date.now() / 1_000)
    const send = async (id: string, body: string) => {
      const signature = webhookSignatures({ id, timestamp, body }, [secret])
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': `${timestamp}`,
        'webhook-signature': signature,
      }
      return (await fetch(receiver.url, { method: 'POST', headers, body })).status
    }
    for (const [at, body] of ODD_BODIES.entries())
      expect(await send(`odd-${at}`, body), body.slice(0, 60)).toBe(204)
    const honest = JSON.stringify({ type: 'bundle.changed', data: { keys: [{ name: 'KEY' }] } })
    expect(await send('honest', honest)).toBe(204)
    await eventually(() => expect(receiver.printed()).toContain('bundle.changed KEY\n'))
    expect(receiver.printed()).not.toMatch(/Traceback|terminated with exception|at process/)
  },
)

test.each(RUNNING)(
  'the receiver for %s takes genuine messages and refuses others',
  async (language, ...command) => {
    const call = createClient(server.url)
    // The address of the receiver follows once it runs with the secret.
    const { secret, id: webhook_id } = await call('POST', '/api/v1/webhooks', {
      body: { url: 'http://127.0.0.1:1/', events: ['bundle.created', 'delivery.denied'] },
    })
    const receiver = await startReceiver(...command, { WEBHOOK_SECRET: secret })
    const params = { webhook_id }
    await call('PUT', '/api/v1/webhooks/{webhook_id}', { params, body: { url: receiver.url } })
    await call('POST', '/api/v1/webhooks/{webhook_id}/test', { params })
    const name = `prod/${language}`.replace('.', '')
    await call('POST', '/api/v1/bundles', { body: { name } })
    const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
    const { id: request_id } = await call('POST', '/api/v1/requests', { body: { client_pubkey } })
    await call('DELETE', '/api/v1/requests/{request_id}', { params: { request_id } })
    await eventually(() => {
      expect(receiver.printed()).toContain('webhook.test\n')
      expect(receiver.printed()).toContain(`bundle.created ${name}\n`)
      expect(receiver.printed()).toMatch(/^delivery\.denied \/w\/[0-9a-f-]{36}\/waiting$/m)
    })

    const timestamp = Math.floor(Date.now() / 1_000)
    const body = JSON.stringify({
      type: 'bundle.changed',
      data: { bundle: { name: 'a' }, keys: [{ name: 'KEY' }] },
    })
    const post = (signed: { id: string; timestamp: number }, signature: string) =>
      fetch(receiver.url, {
        method: 'POST',
        headers: {
          'webhook-id': signed.id,
          'webhook-timestamp': String(signed.timestamp),
          'webhook-signature': signature,
        },
        body,
      }).then(({ status }) => status)
    const signedBy = (secrets: string[], at = timestamp, id = 'm') =>
      post({ id, timestamp: at }, webhookSignatures({ id, timestamp: at, body }, secrets))
    expect(await signedBy([makeWebhookSecret()])).toBe(401)
    expect(await signedBy([secret], timestamp - 301)).toBe(401)
    expect(
      await post({ id: 'other', timestamp }, webhookSignatures({ id: 'm', timestamp, body }, [secret])),
    ).toBe(401)
    expect(await post({ id: 'm', timestamp }, '')).toBe(401)
    expect(receiver.printed()).not.toContain('KEY')
    // Two secrets sign during a rotation; the same message twice counts once.
    expect(await signedBy([makeWebhookSecret(), secret])).toBe(204)
    expect(await signedBy([secret])).toBe(204)
    await eventually(() => expect(receiver.printed().match(/bundle\.changed a KEY\n/g)).toHaveLength(1))
  },
)
