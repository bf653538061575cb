import { expect, test } from 'vitest'
import { requireProxySupport } from './http-exchange.ts'

const SERVER = new URL('https://keyferry.example.com/')
const PROXY = { HTTPS_PROXY: 'http://proxy:3128' }

test('an old Node.js refuses a proxy that it would ignore', () => {
  expect(() => requireProxySupport(SERVER, PROXY, '20.20.2')).toThrow('HTTPS_PROXY is set')
  expect(() => requireProxySupport(SERVER, { https_proxy: 'x' }, '24.4.0')).toThrow('24.5')
})

test.each([
  ['without a proxy', {}, '20.20.2'],
  ['with a proxy for http only', { HTTP_PROXY: 'http://proxy:3128' }, '20.20.2'],
  ['if NO_PROXY has the host', { ...PROXY, NO_PROXY: 'other, .example.com' }, '20.20.2'],
  ['if NO_PROXY has everything', { ...PROXY, NO_PROXY: '*' }, '20.20.2'],
  ['on a Node.js with proxies', PROXY, '24.5.0'],
])('it goes on %s', (_, env, version) => {
  expect(() => requireProxySupport(SERVER, env, version)).not.toThrow()
})
