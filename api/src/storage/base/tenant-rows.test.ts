import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { TABLES } from './tables.ts'

/** Files with queries across tenants, or of rows that a secret or a person finds; each for the reason given. */
const ACROSS_TENANTS: Record<string, string> = {
  'appending.ts': 'rows of the outbox, by their positions',
  'audit-epochs.ts': 'every log begins a new epoch',
  'audit-forgetting.ts': 'a person is forgotten in every log',
  'audit-head.ts': 'the logs that one transaction appends to',
  'audit-pruning.ts': 'every log is pruned',
  'audit-verification.ts': 'every log is verified',
  'awaited-approval-keys.ts': 'keys that the operator confirms',
  'bundles.ts': 'a person chooses among the bundles of all their workspaces',
  'chain-writer.ts': 'every outbox is emptied',
  'deliveries.ts': 'overdue deliveries',
  'deposits.ts': 'overdue deposits',
  'grant-ends.ts': "a person's or a terminal's approvals end everywhere",
  'grants.ts': "a terminal's approvals, by its secret",
  'groups.ts': 'groups of a person, which the provider fills',
  'invitations.ts': 'an invitation, by its token',
  'known-versions.ts': 'the rows that the logs of all workspaces name',
  'linked-sides.ts': 'all workspaces of a person',
  'machine-callers.ts': 'who calls: a machine, by its token or its id',
  'machine-tokens.ts': 'a reported token, by its hash; tokens that expire soon',
  'mail-outbox.ts': 'the mails of one receiver',
  'mail-queue.ts': 'the mails of one receiver or inviter',
  'mail-sweeping.ts': 'values that expire soon, and mails that are old',
  'owners.ts': 'all workspaces of a person',
  'person-links.ts': 'all workspaces of a person',
  'programs.ts': 'names of machines, by ids from rows of the tenant',
  'proposal-ends.ts': 'proposals that are overdue',
  'proposals.ts': 'proposals that are overdue or old',
  'tenants.ts': 'all workspaces of a person',
  'user-events.ts': 'all workspaces of a person',
  'webhook-fan-out.ts': 'the webhooks of the logs that one transaction appends to',
  'webhook-outbox.ts': 'the webhooks that are due',
  'webhook-sweeping.ts': 'messages that are overdue or old',
}

function crossesTenants(file: string): boolean {
  const begun = /\b(?:query|transaction)\s*\.(?:selectFrom|updateTable|deleteFrom)\(\s*(?:'(\w+)|\w+\))/g
  const tables = [...readFileSync(file, 'utf8').matchAll(begun)].map(([, table]) => table)
  return tables.some((table) => table === undefined || hasTenant(table))
}

function hasTenant(table: string): boolean {
  return Object.entries(TABLES).some(([name, { columns }]) => name === table && 'tenant_id' in columns)
}

test('every other file names the tenant where a query of a table with a tenant begins', () => {
  const files = globSync(join(import.meta.dirname, '../../{,*/}storage/**/*.ts')).filter(
    (file) => !/tenant-rows|\.test\.ts$|\/schema\//.test(file),
  )
  expect(files.length).toBeGreaterThan(90)
  expect(
    files
      .filter(crossesTenants)
      .map((file) => basename(file))
      .toSorted(),
  ).toEqual(Object.keys(ACROSS_TENANTS))
})
