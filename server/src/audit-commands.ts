import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { MacWrite } from '@keyferry/api'
import { type Maintenance, whatRemains, withApi } from './maintenance.ts'
import { StartError } from './start-error.ts'

const REASON_CHARACTERS = 200
const MOST_NAMED = 100

const PROBLEMS = {
  foreign: 'no server wrote this row, or another program changed it',
  old: 'this is an old row that was put back, or its right was given again after the clock was set back',
  missing: 'another program deleted this row',
}

const nameOf = ({ table, name }: Pick<MacWrite, 'table' | 'name'>) => `${table} ${name}`

export const AUDIT_COMMANDS = {
  'audit-verify': {
    means:
      'check the audit log of every workspace, or of one (its id), and the rows that give rights; name what was changed',
    argument: '[WORKSPACE]',
    run: withApi(async ({ api, database }, tenantId) => {
      const verdicts = await api.verifyAudit(database, tenantId === '' ? null : tenantId)
      const lines = verdicts.map(({ tenantId: id, entries, erased, problem }) => {
        const origins = erased === 0 ? '' : `, ${erased} entries without origin`
        return `${id}: ${problem ?? `${entries} entries${origins}, the chain and its seals are whole`}`
      })
      const foreign = await api.findForeignRows(database)
      const rows = foreign.map((row) => `${nameOf(row)}: ${PROBLEMS[row.problem]}`)
      const isWell = verdicts.every(({ problem }) => problem === null) && foreign.length === 0
      return {
        text: [...(lines.length === 0 ? ['There is no audit log yet.'] : lines), ...rows].join('\n'),
        isWell,
      }
    }),
  },
  'audit-verify --accept': {
    means:
      'accept the rows that audit-verify names, and record it in the logs; run it after you changed them yourself',
    run: withApi(async ({ api, database }) => {
      const rows = await api.acceptForeignRows(database)
      return [`Accepted ${rows.length} rows.`, ...rows.slice(0, MOST_NAMED).map(nameOf)].join('\n')
    }),
  },
  'audit-key': {
    means: 'show the key that verifies the notes of the audit log',
    run: withApi(({ api, database }) => api.auditVerifierKey(database)),
  },
  'audit-export': {
    means: 'write the whole audit log of a workspace (its id) to standard output, as JSON lines',
    argument: 'WORKSPACE',
    run: withApi(async ({ api, database }, tenantId, print) => {
      await api.exportAudit(database, tenantId, print)
      return ''
    }),
  },
  'audit-prune': {
    means: 'delete from the audit log the whole days that this export holds, after checking it',
    argument: 'FILE',
    run: withApi(async (on, file) => {
      const path = resolve(file)
      if (!existsSync(path)) throw new StartError(`there is no file ${path}`)
      // Before the file is opened: this fails without a root key.
      const { api, database } = on
      const lines = createReadStream(path, 'utf8')
      const { tenantId, through, count } = await api.pruneAudit(database, lines)
      return `${tenantId}: deleted ${count} entries, up to ${through}. Keep ${path}: it is the only copy.`
    }),
  },
  'audit-restored': {
    means: 'record in every audit log that the database was restored, and why; run it after pg_restore',
    argument: 'REASON',
    run: withApi(async (on, reason) => {
      if (reason.length > REASON_CHARACTERS)
        throw new StartError(`the reason must have at most ${REASON_CHARACTERS} characters`)
      const logs = await on.api.recordRestore(on.database, reason)
      return `Recorded the restore in ${logs} audit logs. Notes of later entries are lost with them.`
    }),
  },
  'forget-person': {
    means: 'erase addresses, hosts and names of a person (id or e-mail) from all audit logs and deliveries',
    argument: 'PERSON',
    run: withApi(async ({ api, database }, who) => {
      const forgotten = await api.forgetInAudit(database, who)
      if (forgotten === null)
        throw new StartError(`no user has the id or e-mail address ${JSON.stringify(who)}`)
      const { userId, tenants, origins } = forgotten
      const erased = `Erased the origin of ${origins} entries of ${userId} in ${tenants} audit logs.`
      const kept = 'The account stays, with its username, e-mail address and the names of its workspaces.'
      return `${erased}\n${kept} ${whatRemains(database)}`
    }),
  },
} satisfies Record<string, Maintenance>
