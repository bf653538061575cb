import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NameServer, startNameServer } from '../../test/name-server.ts'
import { innerAddress } from './address-rules.ts'
import { Guard } from './guard.ts'
import { guardedGet, guardedPost, OutgoingFailure } from './guarded-call.ts'

const OPEN = new Guard({ ownNetworks: [], ownStores: [] })
const CALL = { timeoutMs: 2_000, maxBytes: 1_024 }

test.each([
  'https://example.com/x',
  'https://example.com:8443/',
  'https://93.184.215.14/',
  'https://[2606:4700::1111]/',
])('%s has an allowed form', (address) => {
  expect(OPEN.allowed(address).href).toBe(address)
})

test.each([
  ['no URL', 'example.com', 'it is no URL'],
  ['another scheme', 'ftp://example.com/', 'it has to begin with https://'],
  ['no encryption', 'http://example.com/', 'it has to begin with https://'],
  ['a user', 'https://user@example.com/', 'it holds a user or a password'],
  ['a password', 'https://:p@example.com/', 'it holds a user or a password'],
  ['another port', 'https://93.184.215.14:6379/', 'only the ports 443 and 8443 are allowed'],
  ['loopback', 'https://127.0.0.1/'],
  ['loopback without encryption', 'http://127.0.0.1/'],
  ['loopback in decimal', 'https://2130706433/'],
  ['loopback in hex', 'https://0x7f000001/'],
  ['loopback in octal', 'https://0177.0.0.1/'],
  ['loopback shortened', 'https://127.1/'],
  ['loopback of IPv6', 'https://[::1]/'],
  ['loopback mapped', 'https://[::ffff:127.0.0.1]/'],
  ['loopback compatible', 'https://[::127.0.0.1]/'],
  ['loopback behind NAT64', 'https://[64:ff9b::7f00:1]/'],
  ['local NAT64', 'https://[64:ff9b:1::5db8:d80e]/'],
  ['6to4', 'https://[2002:7f00:1::]/'],
  ['Teredo', 'https://[2001:0:53aa::1]/'],
  ['this host', 'https://0.0.0.0/'],
  ['unspecified', 'https://[::]/'],
  ['private 10', 'https://10.1.2.3/'],
  ['private 172', 'https://172.31.255.255/'],
  ['private 192', 'https://192.168.0.1/'],
  ['shared', 'https://100.64.0.1/'],
  ['metadata', 'https://169.254.169.254/'],
  ['protocol assignments', 'https://192.0.0.8/'],
  ['benchmarks', 'https://198.19.0.1/'],
  ['multicast', 'https://224.0.0.1/'],
  ['reserved', 'https://255.255.255.255/'],
  ['loopback translated', 'https://[::ffff:0:7f00:1]/'],
  ['discarded', 'https://[100::1]/'],
  ['segment routing', 'https://[5f00::1]/'],
  ['unique local', 'https://[fd12::1]/'],
  ['link-local', 'https://[fe80::1]/'],
  ['site-local', 'https://[fec0::1]/'],
  ['multicast of IPv6', 'https://[ff02::1]/'],
])('%s is refused', (_what, address, why = 'its network is not public') => {
  expect(() => OPEN.allowed(address)).toThrow(
    expect.objectContaining({ code: 'target_refused', message: expect.stringContaining(why) }),
  )
})

test.each([
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::ffff:0:1', '0.0.0.1'],
  ['64:ff9b::808:808', '8.8.8.8'],
  ['2606:4700::1111', '2606:4700::1111'],
  ['8.8.8.8', '8.8.8.8'],
])('%s counts as %s', (address, inner) => {
  expect(innerAddress(address)).toBe(inner)
})

test.each([
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '169.254.42.42',
  '192.0.0.192',
  '[fd00:42::42]',
  '[fd00:c1::a9fe:a9fe]',
  '[::ffff:100.100.100.200]',
  '[::169.254.169.254]',
  '[::ffff:0:169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::169.254.169.254]',
  '[2002:a9fe:a9fe::1]',
])('%s, where a cloud gives credentials away, is refused in an allowed network too', (host) => {
  const ownNetworks = ['0.0.0.0/0', '::/0']
  const guard = new Guard({ ownNetworks, ownStores: [] })
  expect(() => guard.allowed(`https://${host}/`)).toThrow(expect.objectContaining({ code: 'target_refused' }))
})

test('an allowed network may be called on any port, the metadata address never', () => {
  const guard = new Guard({ ownNetworks: ['10.0.0.0/8', '169.254.0.0/16', 'fd00::/8'], ownStores: [] })
  expect(guard.allowed('https://10.1.2.3:9000/').port).toBe('9000')
  expect(guard.allowed('https://[fd12::1]:9000/').port).toBe('9000')
  expect(guard.allowed('https://169.254.1.1/').hostname).toBe('169.254.1.1')
  for (const address of ['https://169.254.169.254/', 'https://[fd00:ec2::254]/', 'https://192.168.0.1/'])
    expect(() => guard.allowed(address)).toThrow(expect.objectContaining({ code: 'target_refused' }))
})

let names: NameServer
let server: Server
let port: number
let calls: string[] = []

// Listens on every loopback address. The called address tells whether the operator allowed it.
beforeAll(async () => {
  names = await startNameServer()
  server = createServer((request, response) => {
    calls.push(request.socket.localAddress ?? '')
    if (request.url === '/redirect') response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    else if (request.url === '/long') response.end('x'.repeat(2_000))
    else if (request.url !== '/never') response.end('{"ok":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  port = (server.address() as AddressInfo).port
})

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await names.close()
})

const guardOf = (ownStores: { host: string; port: number }[] = []) =>
  new Guard({ ownNetworks: ['127.0.0.2/32'], ownStores, resolve: (host) => names.resolve(host) })

async function outcome(guard: Guard, host: string, path = '/'): Promise<string> {
  calls = []
  const url = `http://${host}:${port}${path}`
  return guardedGet(guard, { ...CALL, url }).then(
    ({ status, body }) => `${status} ${body}`,
    (error: unknown) => (error instanceof OutgoingFailure ? error.word : String(error)),
  )
}

test('a call connects to the address that was checked', async () => {
  names.answer('good.localhost', ['127.0.0.2'])
  expect(await outcome(guardOf(), 'good.localhost')).toBe('200 {"ok":true}')
  expect(calls).toEqual(['127.0.0.2'])
})

test('a name is checked at each connection, with one look-up', async () => {
  names.answer('flip.localhost', ['127.0.0.2'], ['127.0.0.3'])
  const guard = guardOf()
  expect(await outcome(guard, 'flip.localhost')).toBe('200 {"ok":true}')
  expect([calls, names.asked('flip.localhost')]).toEqual([['127.0.0.2'], 1])
  expect(await outcome(guard, 'flip.localhost')).toBe('target_refused')
  expect([calls, names.asked('flip.localhost')]).toEqual([[], 2])
})

test.each([
  ['one of several', ['127.0.0.2', '127.0.0.3']],
  ['a mapped one', ['::ffff:127.0.0.3']],
  ['a private one of IPv6', ['127.0.0.2', 'fd12::1']],
  ['the metadata address', ['169.254.169.254']],
])('a name is refused for %s of its addresses', async (_what, addresses) => {
  names.answer('mixed.localhost', addresses)
  expect(await outcome(guardOf(), 'mixed.localhost')).toBe('target_refused')
  expect(calls).toEqual([])
})

test('without encryption, a public address is refused even by a name of loopback', async () => {
  names.answer('public.localhost', ['93.184.215.14'])
  expect(await outcome(guardOf(), 'public.localhost')).toBe('target_refused')
})

test('the stores of the server are refused, by name and by address', async () => {
  names.answer('store.example', ['127.0.0.2'])
  names.answer('good.localhost', ['127.0.0.2'])
  const guard = guardOf([{ host: 'store.example', port }])
  expect(await outcome(guard, 'good.localhost')).toBe('target_refused')
  expect(await outcome(guard, '127.0.0.2')).toBe('target_refused')
  expect(await outcome(guardOf([{ host: '127.0.0.2', port }]), '127.0.0.2')).toBe('target_refused')
  expect(await outcome(guardOf([{ host: '127.0.0.2', port: port + 1 }]), '127.0.0.2')).toBe('200 {"ok":true}')
  await expect(guard.connectable(`http://127.0.0.2:${port}/`)).rejects.toThrow('it is a store of this server')
})

test('a redirect is an answer and is not followed', async () => {
  expect(await outcome(guardOf(), '127.0.0.2', '/redirect')).toBe('302 ')
})

test.each([
  ['a long answer', '127.0.0.2', '/long', 'too_large'],
  ['an unknown name', 'unknown.localhost', '/', 'dns'],
])('%s has its own reason', async (_what, host, path, word) => {
  expect(await outcome(guardOf(), host, path)).toBe(word)
})

test('a call without an answer times out, one without a listener is refused', async () => {
  const guard = guardOf()
  const url = `http://127.0.0.2:${port}/never`
  await expect(guardedGet(guard, { ...CALL, url, timeoutMs: 100 })).rejects.toMatchObject({ word: 'timeout' })
  await expect(guardedGet(guard, { ...CALL, url: 'http://127.0.0.2:1/' })).rejects.toMatchObject({
    word: 'refused',
  })
})

async function posted(guard: Guard, url: string): Promise<string> {
  calls = []
  const call = { url, timeoutMs: 2_000, headers: {}, body: 'message' }
  return guardedPost(guard, call).then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof OutgoingFailure ? error.word : String(error)),
  )
}

test('messages of webhooks follow the same rules: a check at each call, a connection to the checked address, no redirects', async () => {
  names.answer('flip.localhost', ['127.0.0.2'], ['169.254.169.254'], ['127.0.0.2', '127.0.0.3'])
  const guard = guardOf()
  expect(await posted(guard, `http://flip.localhost:${port}/`)).toBe('200')
  expect([calls, names.asked('flip.localhost')]).toEqual([['127.0.0.2'], 1])
  expect(await posted(guard, `http://flip.localhost:${port}/`)).toBe('target_refused')
  expect(await posted(guard, `http://flip.localhost:${port}/`)).toBe('target_refused')
  expect(calls).toEqual([])
  expect(await posted(guard, `http://127.0.0.2:${port}/redirect`)).toBe('302')
  expect(await posted(guard, `http://127.0.0.2:${port}/long`)).toBe('200')
  expect(await posted(guard, `https://127.0.0.2:${port}/`)).toBe('tls')
})

test('with a proxy, calls go through it and it resolves names; the form of an address is still checked', async () => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('{}')
  }).on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const guard = new Guard({ ownNetworks: [], ownStores: [], proxy: at })
  expect(await posted(guard, 'http://receiver.localhost/hook')).toBe('200')
  expect(await posted(guard, 'https://receiver.example/hook')).toBe('refused')
  expect(await posted(guard, 'https://10.0.0.1/')).toBe('target_refused')
  expect(asked).toEqual(['http://receiver.localhost/hook', 'receiver.example:443'])
  proxy.close()
})
