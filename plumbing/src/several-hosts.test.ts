import { expect, test } from 'vitest'
import { addressesOf } from './several-hosts.ts'

test.each([
  ['postgres://db/k', ['postgres://db/k']],
  [
    'postgres://u:p@a:5432,b:5433/k?target_session_attrs=read-write',
    [
      'postgres://u:p@a:5432/k?target_session_attrs=read-write',
      'postgres://u:p@b:5433/k?target_session_attrs=read-write',
    ],
  ],
  ['redis://:a,b@[::1]:1,[::2]', ['redis://:a,b@[::1]:1', 'redis://:a,b@[::2]']],
  ['postgres:///k?host=/run', ['postgres:///k?host=/run']],
  ['no address, at all', ['no address', ' at all']],
])('%s has the addresses %j', (url, addresses) => {
  expect(addressesOf(url)).toEqual(addresses)
})
