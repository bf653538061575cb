import { expect, test } from 'vitest'

import { addressBlock, isIPv6Network, isSameNetwork } from './address-block.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.8', '203.0.113.8'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['local', 'local'],
  ['', ''],
])('%j counts as %j', (address, block) => expect(addressBlock(address)).toBe(block))

test('a wider block is a /48', () => {
  expect(addressBlock('2001:db8:1:2:3::4', 48)).toBe('2001:db8:1::/48')
  expect(addressBlock('203.0.113.7', 48)).toBe('203.0.113.7')
})

test.each([
  ['2001:db8::1', true],
  ['::ffff:203.0.113.7', false],
  ['203.0.113.7', false],
  ['local', false],
])('%j is in an IPv6 network: %j', (address, isNetwork) => expect(isIPv6Network(address)).toBe(isNetwork))

test.each([
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '::ffff:203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['2001:db8::1', '2001:db8::ffff:1', true],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  ['2001:db8::1', '203.0.113.7', null],
  ['127.0.0.1', '::1', true],
  ['127.0.0.1', '127.0.0.2', true],
  ['127.0.0.1', '203.0.113.7', false],
  ['::1', '203.0.113.7', false],
])('%s and %s are in one network: %s', (first, second, same) => {
  expect(isSameNetwork(first, second)).toBe(same)
})
