import { expect, test } from 'vitest'
import { RowMacs } from './row-macs.ts'

const ROW = { tenant_id: 'a', id: 'b', name: 'c', adds: 'd' }

test('a row gets a MAC only with every column that decides', () => {
  const rowMacs = new RowMacs()
  expect(rowMacs.withMacs('member_groups', [ROW])).toEqual([ROW])
  const { adds: _, ...lacking } = ROW
  expect(() => rowMacs.withMacs('member_groups', [lacking])).toThrow('rows of member_groups need adds')
})

test('a column that can be null can be left out', () => {
  const ids = { tenant_id: 'a', id: 'b', user_id: 'c', credential_id: 'd', aaguid: 'e', rp_id: 'f' }
  const key = { ...ids, is_synced: 0, key_hash: 'g', state: 'waiting', created_at: 'h' }
  expect(new RowMacs().withMacs('approval_keys', [key])).toEqual([key])
})
