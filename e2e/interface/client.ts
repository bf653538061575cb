import { createHmac, randomInt, randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'

/*
 * A client that is written from the published interface alone: HTTP, JSON, and the HMAC over `<user_id>:<tenant_id>`.
 * It may change only if the interface changes.
 */

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; json: unknown }

export type CallOptions = {
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** The client's own address, for limits by address. */
  from?: string
  signal?: AbortSignal
}

/** Somebody who calls the service: `headers` say who. */
export class Caller {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url
    this.headers = headers
  }

  get = (path: string, options?: CallOptions) => this.call('GET', path, options)
  post = (path: string, body?: unknown, options?: CallOptions) =>
    this.call('POST', path, { body, ...options })
  put = (path: string, body?: unknown) => this.call('PUT', path, { body })
  delete = (path: string) => this.call('DELETE', path)

  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { body, from, signal } = options
    const sent = body === undefined ? null : Buffer.from(JSON.stringify(body))
    const ofBody = sent && { 'content-type': 'application/json', 'content-length': String(sent.length) }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const outgoing = request(`${this.url}${path}`, {
      method,
      headers: { ...ofBody, ...this.headers, ...options.headers },
      ...(from === undefined ? {} : { localAddress: from }),
      ...(signal ? { signal } : {}),
    })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      text(response).then(
        (whole) => resolve({ status, headers, text: whole, json: parsed(headers, whole) }),
        reject,
      )
    })
    outgoing.end(sent ?? undefined)
    return promise
  }
}

function parsed(headers: IncomingHttpHeaders, body: string): unknown {
  return headers['content-type']?.startsWith('application/json') === true ? JSON.parse(body) : undefined
}

/** The three headers of a call for a person, as the interface signs it. */
export function signed(who: { user: string; tenant: string }, secret: string): Record<string, string> {
  const hex = createHmac('sha256', secret).update(`${who.user}:${who.tenant}`).digest('hex')
  return { 'X-User-ID': who.user, 'X-Tenant-ID': who.tenant, 'X-Signature': `sha256=${hex}` }
}

/** A text of the answer's body. */
export function textOf({ json, text: whole, status }: Answer, field: string): string {
  const value = json instanceof Object ? new Map(Object.entries(json)).get(field) : undefined
  if (typeof value !== 'string') throw new Error(`${status} without ${field}: ${whole}`)
  return value
}

/** Compare an answer of failure with the interface: its status, and `error` where the interface names the message. */
export function expectFailure(answer: Answer, status: number, error?: string): void {
  expect([answer.status, answer.json]).toEqual([
    status,
    expect.objectContaining({ error: expect.any(String) }),
  ])
  if (error !== undefined) expect(textOf(answer, 'error')).toBe(error)
}

export const expectRetryAfter = ({ headers }: Answer) =>
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

/** A name that nothing else has, for a bundle or a key. */
export const newName = (start: string) => `${start}_${randomUUID().replaceAll('-', '').slice(0, 12)}`

/** A client at an address that no other client of this run has. */
export const newAddress = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
