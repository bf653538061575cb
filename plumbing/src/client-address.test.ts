import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainAddress } from './client-address.ts'
import { createHttpServer } from './http-server.ts'

/** Servers on loopback that answer with the client's address, each with one setting of proxies. */
const SERVERS = {
  trusting: { proxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'], header: 'X-Forwarded-For' },
  standard: { proxies: ['127.0.0.1', '10.0.0.0/8'], header: 'Forwarded' },
  vendor: { proxies: ['127.0.0.1'], header: 'CF-Connecting-IP' },
  closed: { proxies: ['192.0.2.1'], header: 'X-Forwarded-For' },
} as const
type Name = keyof typeof SERVERS

const newRequestId = () => 'id'
const addresses = new Map<Name, string>()
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  for (const name of Object.keys(SERVERS) as Name[]) {
    const app = createHttpServer({
      maxBodyBytes: 9,
      trusted: SERVERS[name],
      newRequestId,
      connectionBound: null,
    })
    app.get('/', (request) => ({ address: request.clientAddress }))
    addresses.set(name, await app.listen({ host: '127.0.0.1', port: 0 }))
    closing.push(() => app.close())
  }
})

afterAll(async () => {
  await Promise.all(closing.map((close) => close()))
})

async function addressAt(name: Name, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(addresses.get(name) ?? '', { headers })
  const { address }: { address: string } = JSON.parse(await answer.text())
  return address
}

describe('X-Forwarded-For from a trusted proxy', () => {
  test.each([
    ['one address', '203.0.113.7', '203.0.113.7'],
    ['a port', '203.0.113.7:52811', '203.0.113.7'],
    ['blanks', ' 203.0.113.7 ', '203.0.113.7'],
    ['brackets', '[2001:DB8:0:0::7]', '2001:db8::7'],
    ['brackets and a port', '[2001:db8::7]:52811', '2001:db8::7'],
    ['a zone', 'fe80::7%eth0', 'fe80::7'],
    ['brackets, a zone and a port', '[fe80::7%25eth0]:443', 'fe80::7'],
    ['IPv4 inside IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['IPv4 inside IPv6 in hexadecimal', '::FFFF:cb00:7107', '203.0.113.7'],
    ['trusted proxies at the right', '203.0.113.7, 10.1.1.1:80, [2001:db8:1::5]:80', '203.0.113.7'],
    ['a claim at the left', '10.9.9.9, 203.0.113.7, 10.1.1.1', '203.0.113.7'],
    ['trusted proxies only', '10.1.1.1, 10.1.1.2', '10.1.1.1'],
    ['an entry that is no address', '203.0.113.7, unknown, 10.1.1.1', '10.1.1.1'],
    ['an empty entry', '203.0.113.7, , 10.1.1.1', '10.1.1.1'],
    ['nothing readable', 'unix:', '127.0.0.1'],
    ['an address without enough parts', '1, 10.1.1.1', '10.1.1.1'],
    ['an octal address', '0177.0.0.1', '127.0.0.1'],
    ['nothing', '', '127.0.0.1'],
  ])('with %s', async (_what, header, expected) => {
    expect(await addressAt('trusting', { 'x-forwarded-for': header })).toBe(expected)
  })
})

test('headers other than the one that counts are ignored', async () => {
  const others = {
    forwarded: 'for=198.51.100.1',
    'x-real-ip': '198.51.100.2',
    'cf-connecting-ip': '198.51.100.3',
  }
  expect(await addressAt('trusting', { ...others, 'x-forwarded-for': '203.0.113.7' })).toBe('203.0.113.7')
  expect(await addressAt('trusting', others)).toBe('127.0.0.1')
  expect(await addressAt('vendor', { ...others, 'x-forwarded-for': '203.0.113.7' })).toBe('198.51.100.3')
  expect(await addressAt('closed', { 'x-forwarded-for': '203.0.113.7' })).toBe('127.0.0.1')
})

describe('Forwarded from a trusted proxy', () => {
  test.each([
    ['for=203.0.113.7', '203.0.113.7'],
    ['for="203.0.113.7:52811";proto=https', '203.0.113.7'],
    ['By=10.1.1.1; FOR = "[2001:db8::7]:443" ;host=a', '2001:db8::7'],
    ['for=10.9.9.9, for=203.0.113.7, for=10.1.1.1;by=10.1.1.2', '203.0.113.7'],
    ['for=203.0.113.7, for=_hidden, for=10.1.1.1', '10.1.1.1'],
    ['for="198.51.100.1, for=203.0.113.7', '203.0.113.7'],
    ['for=203.0.113.7, by=10.1.1.1', '127.0.0.1'],
    ['203.0.113.7', '127.0.0.1'],
  ])('%s', async (header, expected) => {
    expect(await addressAt('standard', { forwarded: header, 'x-forwarded-for': '198.51.100.9' })).toBe(
      expected,
    )
  })
})

const CHARACTERS = Array.from('0123456789abcdef.:,;="[]% for')

test('nothing that a client writes changes the address that its proxy adds', async () => {
  const text = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(text, async (claim) => {
      expect(await addressAt('trusting', { 'x-forwarded-for': `${claim}, 203.0.113.7` })).toBe('203.0.113.7')
      expect(await addressAt('standard', { forwarded: `${claim}, for=203.0.113.7` })).toBe('203.0.113.7')
    }),
  )
})

test('an address has one notation, and it stays the same when it is read again', () => {
  const notations = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV6().map((address) => `[${address}]:443`),
  )
  fc.assert(
    fc.property(notations, (address) => {
      const plain = plainAddress(address)
      expect(plain).not.toBeNull()
      expect(plainAddress(plain ?? '')).toBe(plain)
      expect(plainAddress(address.toUpperCase())).toBe(plain)
    }),
  )
})
