import { execFileSync, spawn } from 'node:child_process'
import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { hasPrograms } from '../../../plumbing/test/programs.ts'
import type { ExchangeRequest } from '../base/exchange.ts'
import { VERSION } from '../base/version.ts'
import { httpExchange } from './http-exchange.ts'

const open = new Set<Server>()

afterEach(() => {
  for (const server of open) {
    server.close()
    server.closeAllConnections()
  }
  open.clear()
})

async function listen(server: Server): Promise<number> {
  open.add(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

function get(url: string, limits: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return { method: 'GET', url, timeoutMs: 5_000, maxBodyBytes: 1_000, ...limits }
}

test('every call names the client and its version', async () => {
  const url = await serve(({ headers }, response) => response.end(headers['user-agent']))
  expect((await httpExchange({})(get(url))).body).toBe(`keyferry/${VERSION}`)
})

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

test('after its answer, a call keeps no timer, which would keep the program', async () => {
  const url = await serve((_, response) => response.end())
  const before = timers()
  for (let calls = 0; calls < 20; calls += 1) await httpExchange({})(get(url, { timeoutMs: 60_000 }))
  expect(timers()).toBeLessThan(before + 10)
})

describe('bounds', () => {
  test('a redirect is an answer like any other', async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { location: 'https://evil.example/' }).end(),
    )
    expect(await httpExchange({})(get(url))).toMatchObject({ status: 302, location: 'https://evil.example/' })
  })

  test('a body over the bound is cut off while it still comes', async () => {
    const url = await serve((_, response) => {
      const send = (): void => void (response.destroyed || response.write('x'.repeat(500), send))
      send()
    })
    await expect(httpExchange({})(get(url))).rejects.toMatchObject({ reason: 'ETOOLONG' })
  })

  test('a slow drip ends at the timeout', async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    await expect(httpExchange({})(get(url, { timeoutMs: 300 }))).rejects.toMatchObject({
      reason: 'ETIMEDOUT',
    })
  })

  test('a server that never answers ends at the timeout', async () => {
    const url = await serve(() => undefined)
    await expect(httpExchange({})(get(url, { timeoutMs: 200 }))).rejects.toMatchObject({
      reason: 'ETIMEDOUT',
    })
  })

  test('a connection that breaks in the middle of the body', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setTimeout(() => request.socket.destroy(), 50)
    })
    await expect(httpExchange({})(get(url))).rejects.toMatchObject({ reason: 'ECONNRESET' })
  })
})

describe('connections', () => {
  test('are kept between requests', async () => {
    const ports = new Set<number | undefined>()
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort)
      response.end()
    })
    const exchange = httpExchange({})
    for (let count = 0; count < 3; count++) await exchange(get(url))
    expect(ports.size).toBe(1)
  })

  test('one that the server has closed is replaced silently', async () => {
    let calls = 0
    const url = await serve((request, response) => {
      calls += 1
      if (calls === 2) request.socket.destroy()
      else response.end(`call ${calls}`)
    })
    const exchange = httpExchange({})
    await exchange(get(url))
    expect((await exchange(get(url))).body).toBe('call 3')
  })

  test('a POST is not sent twice', async () => {
    let calls = 0
    const url = await serve((request, response) => {
      calls += 1
      if (calls === 2) request.socket.destroy()
      else response.end()
    })
    const exchange = httpExchange({})
    await exchange(get(url))
    await expect(exchange(get(url, { method: 'POST', body: '{}' }))).rejects.toMatchObject({
      reason: 'ECONNRESET',
    })
    expect(calls).toBe(2)
  })
})

describe('Retry-After', () => {
  test.each([
    ['17', null, 17_000],
    ['Fri, 20 Nov 2026 10:00:09 GMT', 'Fri, 20 Nov 2026 10:00:00 GMT', 9_000],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 'Fri, 20 Nov 2026 10:00:00 GMT', 0],
    ['soon', null, null],
    ['-1', null, null],
  ])('%s, the server’s clock saying %s', async (header, date, retryAfterMs) => {
    const url = await serve((_, response) => {
      response.sendDate = false
      response.writeHead(429, { 'retry-after': header, ...(date === null ? {} : { date }) }).end()
    })
    expect(await httpExchange({})(get(url))).toMatchObject({ retryAfterMs })
  })
})

describe('proxies', () => {
  test('calls to a server on another machine use HTTP_PROXY', async () => {
    const proxy = await serve((request, response) => response.end(`for ${request.url ?? ''}`))
    const answer = await httpExchange({ HTTP_PROXY: proxy })(get('http://keyferry.example/healthz'))
    expect(answer.body).toBe('for http://keyferry.example/healthz')
  })

  test('a server on this machine never is', async () => {
    const url = await serve((_, response) => response.end('direct'))
    const exchange = httpExchange({ HTTP_PROXY: 'http://127.0.0.1:1' })
    expect((await exchange(get(url))).body).toBe('direct')
    // A resolver that does not keep such names here has no say.
    expect((await exchange(get(url.replace('127.0.0.1', 'team.localhost')))).body).toBe('direct')
  })

  test.runIf(hasPrograms('openssl'))(
    'https goes through a tunnel of HTTPS_PROXY, NO_PROXY goes around it',
    async () => {
      const tunnels: string[] = []
      const proxyServer = createServer()
      proxyServer.on('connect', (request, socket) => {
        tunnels.push(request.url ?? '')
        const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n')
          socket.pipe(target).pipe(socket)
        })
        target.on('error', () => socket.destroy())
        socket.on('error', () => target.destroy())
      })
      const proxy = `http://127.0.0.1:${await listen(proxyServer)}`
      await withAuthority(async ({ port, certificate }) => {
        const env = { HTTPS_PROXY: proxy, SSL_CERT_FILE: certificate }
        const url = `https://keyferry.test:${port}/`
        expect((await httpExchange(env)(get(url))).body).toBe('secure')
        expect(tunnels).toEqual([`keyferry.test:${port}`])
        await expect(httpExchange({ ...env, NO_PROXY: 'keyferry.test' })(get(url))).rejects.toMatchObject({
          reason: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
        })
      })
    },
  )
})

describe('private authorities', () => {
  test.runIf(hasPrograms('openssl'))('SSL_CERT_FILE is trusted, and without it nothing is sent', async () => {
    await withAuthority(async ({ port, certificate }) => {
      const url = `https://localhost:${port}/`
      expect((await httpExchange({ SSL_CERT_FILE: certificate })(get(url))).body).toBe('secure')
      await expect(httpExchange({})(get(url))).rejects.toMatchObject({ isPassing: false })
    })
  })

  test('a file that is not there is named', async () => {
    const exchange = httpExchange({ SSL_CERT_FILE: '/no/such/file' })
    await expect(exchange(get('https://localhost:1/'))).rejects.toThrow('/no/such/file')
  })
})

async function withAuthority(
  use: (secure: { port: number; certificate: string }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-authority-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=keyferry.test', '-addext', 'subjectAltName=DNS:keyferry.test,DNS:localhost']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ed25519',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ],
    { stdio: 'ignore' },
  )
  const options = { key: await readFile(key), cert: await readFile(certificate) }
  const port = await listen(createSecureServer(options, (_, response) => response.end('secure')))
  try {
    await use({ port, certificate })
  } finally {
    await rm(folder, { recursive: true })
  }
}

// While it is stopped, the system completes two connections for it. It drops the first packet of any other, which is
// sent again after a second.
const SLOW_SERVER = `
const server = require('node:http').createServer((_, response) => response.end('reached'))
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`

test('of two addresses of a server, the one that answers after a second is reached', async () => {
  const child = spawn(process.execPath, ['-e', SLOW_SERVER], { stdio: ['ignore', 'pipe', 'ignore'] })
  const waiting: Socket[] = []
  onTestFinished(() => {
    child.kill('SIGKILL')
    for (const socket of waiting) socket.destroy()
    vi.restoreAllMocks()
  })
  const port = Number((await once(child.stdout, 'data')).join(''))
  child.kill('SIGSTOP')
  for (let count = 0; count < 2; count++) {
    const socket = connect(port, '127.0.0.1')
    waiting.push(socket)
    await once(socket, 'connect')
  }
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.9.9.9', family: 4 },
  ]
  vi.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
    const done = args.at(-1)
    if (typeof done === 'function') done(null, both)
    setTimeout(() => child.kill('SIGCONT'), 300)
  })
  expect((await httpExchange({})(get(`http://two.example:${port}/`))).body).toBe('reached')
})
