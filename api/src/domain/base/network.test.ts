import { expect, test } from 'vitest'
import { isInNetworks, parseNetworks } from './network.ts'

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.0.0.0', '10.0.0.0/8', false],
  ['9.255.255.255', '10.0.0.0/8', false],
  ['192.0.2.0', '192.0.2.0/24', true],
  ['192.0.2.255', '192.0.2.0/24', true],
  ['192.0.3.0', '192.0.2.0/24', false],
  ['192.0.2.99', '192.0.2.5/24', true],
  ['192.0.2.127', '192.0.2.0/25', true],
  ['192.0.2.128', '192.0.2.0/25', false],
  ['192.0.2.5', '192.0.2.5', true],
  ['192.0.2.50', '192.0.2.5', false],
  ['192.0.2.4', '192.0.2.5', false],
  ['2001:db8::1', '2001:db8::1', true],
  ['2001:db8::10', '2001:db8::1', false],
  ['2001:db8:0:0:ffff::1', '2001:db8::/64', true],
  ['2001:db8:0:1::1', '2001:db8::/64', false],
  ['2001:db8:1::1', '2001:db8::/48', false],
  ['198.51.100.7', '0.0.0.0/0', true],
  ['2001:db8::1', '0.0.0.0/0', false],
  ['198.51.100.7', '2000::/3', false],
  ['', '0.0.0.0/0', false],
  ['local', '0.0.0.0/0', false],
])('%j and the network %s: in it %s', (address, network, isInside) => {
  expect(isInNetworks(address, parseNetworks([network]))).toBe(isInside)
})

test('one of several networks is enough, and no network allows every address', () => {
  const networks = parseNetworks(['192.0.2.0/24', '2001:db8::/64'])
  expect(isInNetworks('2001:db8::7', networks)).toBe(true)
  expect(isInNetworks('198.51.100.7', networks)).toBe(false)
  expect(isInNetworks('198.51.100.7', [])).toBe(true)
})
