import { resolve } from 'node:path'
import { joined } from '@keyferry/contract/joined'
import { APPROVAL_KEY_COMMANDS } from './approval-key-commands.ts'
import { typedLine } from './asked.ts'
import { AUDIT_COMMANDS } from './audit-commands.ts'
import { LIBRARY_COMMANDS } from './library-commands.ts'
import { LINK_COMMANDS } from './link-people.ts'
import { type Maintenance, whatRemains, withApi, withRequests } from './maintenance.ts'
import * as modules from './modules.ts'
import { placeOf } from './operated-database.ts'
import { lockFolder, ROOT_KEY_COMMANDS } from './root-key/root-key-commands.ts'
import { StartError } from './start-error.ts'

/** The commands that work on a database, by name. */
export const MAINTENANCE: Readonly<Record<string, Maintenance>> = {
  migrate: {
    means: 'update the database tables, then exit',
    run: withApi(async ({ api, settings }) => {
      const names = await api.migrate(placeOf(settings))
      return names.length === 0 ? 'Nothing to migrate.' : `Migrated: ${names.join(', ')}.`
    }),
  },
  ...ROOT_KEY_COMMANDS,
  'rotate-tenant-key': {
    means: 'encrypt the values of a workspace (its id), or of all, with a new key, also while servers run',
    argument: '[WORKSPACE]',
    run: withApi(async ({ api, database }, tenantId) => {
      const { tenants, values } = await api.rotateTenantKey(database, { tenantId: tenantId || null })
      const done = `Workspaces with a new key: ${tenants}. Values re-encrypted: ${values}.`
      return `${done} The old keys are deleted.\n${IN_MEMORY}\n${whatRemains(database)}`
    }),
  },
  'forget-tenant': {
    means: 'delete a workspace (its id) with its key and everything in it; asks for its name',
    argument: 'WORKSPACE',
    run: withApi(async (on, tenantId) => {
      const ended = await on.api.forgetTenantOf(withRequests(on), tenantId, isTyped)
      return `Open requests removed: ${ended}.\n${FORGOTTEN}\n${IN_MEMORY}\n${whatRemains(on.database)}`
    }),
  },
  'rotate-receipt-key': {
    means: 'make a new key that signs receipts; clients accept it because the old key signs it',
    run: withApi(async ({ api, database }) => {
      const kid = await api.makeReceiptKey(database)
      return `The new receipt key is ${kid}. Restart the servers to sign with it.`
    }),
  },
  'rotate-deposit-key': {
    means: 'make a new key that clients seal deposits to; the key before it still opens them',
    run: withApi(
      async ({ api, database }) => `The new deposit key is ${await api.makeDepositKey(database)}.`,
    ),
  },
  verify: {
    means: 'decrypt every stored value and list those that fail',
    run: withApi(async ({ api, database }) => {
      const { checked, failures } = await api.verifyValues(database)
      const lines = failures.map(
        ({ table, id, version, tenantId, problem }) =>
          `  ${table} ${id} version ${version} of ${tenantId}: ${problem}`,
      )
      const summary = `Checked ${checked} values: ${failures.length} cannot be decrypted.`
      return { text: [summary, ...lines].join('\n'), isWell: failures.length === 0 }
    }),
  },
  ...AUDIT_COMMANDS,
  ...LIBRARY_COMMANDS,
  ...joined(modules, 'commands'),
  'make-owner': {
    means: 'make a person (id or e-mail address) an owner of a workspace (its id), when its owners are gone',
    argument: 'WORKSPACE PERSON',
    run: withApi(async ({ api, database }, argument) => {
      const [tenantId = '', person, ...more] = argument.split(' ')
      if (person === undefined || more.length > 0) throw new StartError('make-owner needs WORKSPACE PERSON')
      const made = await api.makeOwnerOf(database, tenantId, person)
      if (typeof made === 'string') throw new StartError(made)
      return `${made.email} is an owner of ${JSON.stringify(made.workspace)} now.`
    }),
  },
  ...APPROVAL_KEY_COMMANDS,
  ...LINK_COMMANDS,
  backup: {
    means: 'copy the SQLite database to a new file, also while servers run; the root key is not included',
    argument: 'FILE',
    run: withApi(async ({ api, database }, file) => {
      await api.backupDatabase(database, resolve(file))
      return `Backed up to ${resolve(file)}. The backup does not contain the root key.`
    }),
  },
  restore: {
    means: 'replace the SQLite database with a backup; the old database is kept beside it',
    argument: 'FILE',
    run: withApi(async (on, file) => {
      const unlock = lockFolder(on.settings)
      try {
        const kept = await on.api.restoreDatabase(on.database, resolve(file))
        return `Restored from ${resolve(file)}.${kept === null ? '' : ` The old database is kept as ${kept}.`}`
      } finally {
        unlock()
      }
    }),
  },
}

const IN_MEMORY = 'Running servers can use a key from memory for up to a minute.'

const FORGOTTEN = 'The workspace and its key are deleted. Its audit log stays.'

async function isTyped(name: string): Promise<boolean> {
  const question = `This deletes the workspace ${JSON.stringify(name)} permanently. Type its name: `
  return (await typedLine(question)) === name.trim()
}
