import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyferry/contract/client'
import { Receiver } from '../../api/test/webhook-receiver.ts'
import { startServer } from '../start-server.ts'

type Fault = {
  answer?: (response: ServerResponse) => void
  isGone?: boolean
  scheme?: 'https'
  /** What the log of the webhook says: the state, the status and the word of its message. */
  expected: string
}

/** What a receiver can do wrong, by name. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'never answers': { answer: () => {}, expected: 'waiting null timeout' },
  'drips its head': {
    answer: (response) => {
      const timer = setInterval(() => response.socket?.write('x'), 500)
      response.socket?.write('HTTP/1.1 200 OK\r\nx-drip: ')
      response.socket?.once('close', () => clearInterval(timer))
    },
    expected: 'waiting null timeout',
  },
  'answers and never ends': {
    answer: (response) => void response.writeHead(200).write('x'),
    expected: 'done 200 null',
  },
  'sends without an end': {
    answer: (response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    },
    expected: 'done 200 null',
  },
  'breaks the connection': { answer: (response) => response.destroy(), expected: 'waiting null refused' },
  'sends junk': {
    answer: (response) => void response.socket?.end('junk\r\n\r\n'),
    expected: 'waiting null refused',
  },
  'redirects to a private address': {
    answer: (response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    expected: 'waiting 307 http',
  },
  'fails and asks for a wait': {
    answer: (response) => response.writeHead(429, { 'retry-after': '9999999999' }).end(),
    expected: 'waiting 429 http',
  },
  'says that it is gone': {
    answer: (response) => response.writeHead(410).end(),
    expected: 'failed 410 http',
  },
  'does not listen': { isGone: true, expected: 'waiting null refused' },
  'speaks no TLS': { scheme: 'https', expected: 'waiting null tls' },
}

const SETTLED_WITHIN_MS = 25_000

/** Send a message to receivers that fail in every way, all at once.
 * @returns what the server made of each, and whether that is as it should be */
export async function besetByReceivers(): Promise<{ name: string; seen: string; isWell: boolean }[]> {
  const server = await startServer({ env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' } })
  try {
    const outcomes = Object.entries(FAULTS).map(async ([name, fault]) => {
      const seen = await outcomeOf(server.url, fault)
      return { name, seen, isWell: seen === fault.expected }
    })
    return await Promise.all(outcomes)
  } finally {
    await server.dispose()
  }
}

async function outcomeOf(address: string, { answer, isGone, scheme }: Fault): Promise<string> {
  const receiver = new Receiver()
  await receiver.start()
  const { url } = receiver
  if (answer) receiver.answer = answer
  if (isGone) receiver.stop()
  try {
    const call = createClient(address)
    const body = { url: scheme ? url.replace('http', scheme) : url, events: ['webhook.disabled' as const] }
    const { id: webhook_id } = await call('POST', '/api/v1/webhooks', { body })
    const params = { webhook_id }
    const sent = await call('POST', '/api/v1/webhooks/{webhook_id}/test', { params })
    const deadline = performance.now() + SETTLED_WITHIN_MS
    for (;;) {
      const all = await call('GET', '/api/v1/webhooks/{webhook_id}/messages', { params })
      const message = all.find(({ id }) => id === sent.message_id)
      const { state, last_status: status, last_error: word } = message ?? {}
      if (word !== null || state === 'done' || performance.now() > deadline)
        return `${state} ${status} ${word}`
      await sleep(100)
    }
  } finally {
    receiver.stop()
  }
}
