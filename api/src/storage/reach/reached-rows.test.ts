import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { TABLES } from '../base/tables.ts'
import { reachedRows } from './reached-rows.ts'

/** Tables of a workspace that a limited member reads whole, or in calls for owners; each for the reason given. */
const WHOLE: Record<string, string> = {
  approval_keys: 'of people',
  audit_heads: 'numbers and hashes',
  audit_seals: 'numbers and hashes',
  deposits: 'a terminal asks for the answer to its own',
  group_members: 'for owners',
  invitations: 'for owners',
  lasting_acts: 'for owners',
  machine_attempts: 'for owners',
  machine_tokens: 'of a machine',
  machine_trusts: 'of a machine',
  member_groups: 'for owners',
  memberships: 'of people',
  policies: 'rules count for every caller; the list of rules leaves out folders',
}

test('every table of a workspace has the rows within reach, or a reason', () => {
  const tables = Object.entries(TABLES).filter(
    ([name, { columns }]) => 'tenant_id' in columns && !/^(webhook|mail)/.test(name),
  )
  const scope = { tenantId: 'tenant', userId: 'user', reach: { patterns: ['partner/'], since: '' } }
  const reached = Object.keys(reachedRows(scope, { quotedAfter: (mark) => sql.lit(mark) }))
  expect(tables.map(([name]) => name).toSorted()).toEqual([...reached, ...Object.keys(WHOLE)].toSorted())
})
