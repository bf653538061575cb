import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LoopbackListener, listenOnLoopback } from './loopback-listener.ts'

const PAGE = 'https://keyferry.example.com/approve/7f9c2ba4e88f827d616045507605853e'
const SECRET = 'k'.repeat(43)

let listener: LoopbackListener
let door: URL
const returned: string[] = []

beforeEach(async () => {
  returned.length = 0
  listener = await listenOnLoopback(async (secret) => {
    returned.push(secret)
    return secret === SECRET
  })
  door = new URL(listener.addressFor(PAGE))
})

afterEach(() => listener.close())

type Sent = {
  readonly method?: string
  readonly path?: string
  readonly host?: string
  readonly body?: string
}
type Got = { readonly status: number; readonly location: string | undefined }

function send({ method = 'GET', path = door.pathname, host = door.host, body }: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) }
    const request = http.request(
      { host: '127.0.0.1', port: door.port, method, path, headers },
      (response) => {
        response.resume()
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, location: response.headers.location }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

async function backPath(): Promise<string> {
  const { location = '' } = await send({})
  return `/r/${/#lb=\d+\.([\w-]{43})$/.exec(location)?.[1]}`
}

test('the door leads to the page, with the way back in the fragment', async () => {
  const { status, location } = await send({})
  expect(status).toBe(303)
  expect(location).toMatch(new RegExp(`^${PAGE}#lb=${door.port}\\.[\\w-]{43}$`))
  await listener.reached
})

test('a secret that comes back is released, and the browser returns to the page', async () => {
  const path = await backPath()
  const body = `secret=${SECRET}`
  expect(await send({ method: 'POST', path, body })).toEqual({ status: 303, location: `${PAGE}#released` })
  const wrong = await send({ method: 'POST', path, body: 'secret=x' })
  expect(wrong).toEqual({ status: 303, location: `${PAGE}#failed` })
  expect(returned).toEqual([SECRET, 'x'])
})

test('everything else is 404 and has no effect', async () => {
  const path = await backPath()
  const body = `secret=${SECRET}`
  const port = door.port
  const strangers: Sent[] = [
    { path: '/' },
    { path: '/k/AAAAAAAAAAAAAAAAAAAAAA' },
    { path: `${door.pathname}?a` },
    { host: `localhost:${port}` },
    { host: `rebound.example:${port}` },
    { method: 'POST', path: '/r', body },
    { method: 'POST', path: '/r/AAAAAAAAAAAAAAAAAAAAAA', body },
    { method: 'POST', path, host: `rebound.example:${port}`, body },
    { method: 'GET', path },
    { method: 'POST', path, body: 'nothing=1' },
    { method: 'POST', path, body: `${body}&a=${'a'.repeat(4_096)}` },
  ]
  for (const stranger of strangers) expect(await send(stranger)).toMatchObject({ status: 404 })
  expect(returned).toEqual([])
})

test('slow and broken callers are cut, and the listener goes on', async () => {
  const path = await backPath()
  const isCut = Promise.all(
    ['GET / HT', `POST ${path} HTTP/1.1\r\nhost: ${door.host}\r\ncontent-length: 50\r\n\r\nsecret=`].map(
      (text) => {
        const socket = connect(Number(door.port), '127.0.0.1')
        socket.write(text)
        socket.resume()
        return once(socket, 'close')
      },
    ),
  )
  const broken = connect(Number(door.port), '127.0.0.1', () => {
    broken.write(`POST ${path} HTTP/1.1\r\nhost: ${door.host}\r\ncontent-length: 50\r\n\r\nsecret=`)
    broken.destroySoon()
  })
  await isCut
  const answer = await send({ method: 'POST', path, body: `secret=${SECRET}` })
  expect(answer.location).toBe(`${PAGE}#released`)
  expect(returned).toEqual([SECRET])
})

test('it is settled when the browser has its answer', async () => {
  const path = await backPath()
  await listener.settled()
  const answer = send({ method: 'POST', path, body: `secret=${SECRET}` })
  await expect.poll(() => returned.length).toBe(1)
  await listener.settled()
  listener.close()
  expect(await answer).toMatchObject({ status: 303 })
})
