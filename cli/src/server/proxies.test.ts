import { expect, test } from 'vitest'
import { proxyOf } from './proxies.ts'

const SERVER = new URL('https://keyferry.example.test/')
const PROXY = { HTTPS_PROXY: 'http://proxy:3128' }
const NEW_NODE = '24.5.0'

test('an old Node.js refuses a proxy that it would ignore', () => {
  expect(() => proxyOf(SERVER, PROXY, '20.20.2')).toThrow('HTTPS_PROXY is set')
  expect(() => proxyOf(SERVER, { https_proxy: 'x' }, '24.4.0')).toThrow('24.5')
  expect(proxyOf(SERVER, { ...PROXY, NO_PROXY: '*' }, '20.20.2')).toBeNull()
})

test.each([
  ['proxy:3128', 'http://proxy:3128/'],
  ['proxy', 'http://proxy/'],
  [' HTTP://PROXY:3128 ', 'http://proxy:3128/'],
  ['https://user:word@proxy:8443', 'https://user:word@proxy:8443/'],
  ['10.0.0.1:3128', 'http://10.0.0.1:3128/'],
])('%j is a proxy', (text, proxy) => {
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])
    expect(proxyOf(SERVER, { [name]: text }, NEW_NODE)).toBe(proxy)
})

test.each(['socks5://proxy:1080', 'SOCKS5H://proxy', 'socks4://proxy', 'ftp://proxy', 'http://', 'a b'])(
  '%j is refused with a sentence, never ignored',
  (text) => {
    expect(() => proxyOf(SERVER, { HTTPS_PROXY: text }, NEW_NODE)).toThrow(/^HTTPS_PROXY (?:names|is not)/)
  },
)

test('only the variable for the scheme of the server, and the lower-case one first', () => {
  expect(proxyOf(SERVER, { HTTP_PROXY: 'proxy:1' }, NEW_NODE)).toBeNull()
  expect(
    proxyOf(SERVER, { HTTPS_PROXY: 'upper:1', https_proxy: 'lower:1', ALL_PROXY: 'all:1' }, NEW_NODE),
  ).toBe('http://lower:1/')
})

test.each([
  ['example.test', true],
  ['.example.test', true],
  ['*.example.test', true],
  ['KEYFERRY.Example.Test', true],
  ['other.test keyferry.example.test', true],
  ['other.test,\texample.test', true],
  [' , ', false],
  ['xample.test', false],
  ['keyferry.example.test:443', true],
  ['keyferry.example.test:8443', false],
  ['test.', true],
])('NO_PROXY=%j, direct: %s', (list, isDirect) => {
  for (const name of ['NO_PROXY', 'no_proxy'])
    expect(proxyOf(SERVER, { ...PROXY, [name]: list }, NEW_NODE) === null).toBe(isDirect)
})

test.each([
  ['https://10.1.2.3/', '10.0.0.0/8', true],
  ['https://10.1.2.3/', '10.1.2.3', true],
  ['https://10.1.2.3/', '10.2.0.0/16', false],
  ['https://10.1.2.3/', '10.0.0.0/99', false],
  ['https://10.1.2.3/', '1.2.3', false],
  ['https://[fd00::1]/', 'fd00::/8', true],
  ['https://[fd00::1]:8443/', '[fd00::1]:8443', true],
  ['https://[fd00::1]/', '[fd00::2]', false],
])('%s with NO_PROXY=%j, direct: %s', (server, list, isDirect) => {
  expect(proxyOf(new URL(server), { ...PROXY, NO_PROXY: list }, NEW_NODE) === null).toBe(isDirect)
})
