import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CHAIN_START } from '@keyferry/crypto/audit-chain'
import { openChainNote } from '@keyferry/crypto/chain-note'
import { exportEnd, lastLine } from '@keyferry/crypto/export-lines'
import { checkExport } from '@keyferry/crypto/exported-chain'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PATIENCE_MS, until } from '../../plumbing/test/until.ts'
import {
  auditVerifierKey,
  exportAudit,
  forgetInAudit,
  pruneAudit,
  recordRestore,
  verifyAudit,
} from '../src/main.ts'
import { auditKeyIn } from '../src/maintenance.ts'
import { appendTogether } from '../src/storage/audit/appending.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { type Identity, logLine, oneDatabase, startTestApi, type TestApi } from './api.ts'

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03'] as const
const KEYS_A_DAY = 2

async function* chunksOf(text: string): AsyncGenerator<string> {
  yield text
}

/** An export whose end has no note. */
function withoutNote(text: string): string {
  const lines = text.trimEnd().split('\n')
  const { note: _, end, ...others } = JSON.parse(lines.at(-1) ?? '')
  const line = JSON.stringify({ note: null, ...others }).slice(0, -1)
  const { hash } = JSON.parse(lines.at(-2) ?? '')
  const said = exportEnd({ first: 1, last: lines.length - 1, hash, line })
  return [...lines.slice(0, -1), lastLine(line, said + end.slice(end.lastIndexOf('\n\n') + 1))].join('\n')
}

describe.each(oneDatabase)('what leaves the audit log on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let database: Database
  let clock: { now: Date }
  beforeEach(async () => {
    clock = { now: new Date(`${DAYS[0]}T10:00:00.000Z`) }
    api = await startTestApi(kind, { now: () => clock.now })
    owner = await api.newOwner()
    database = await openDatabase(placeOf(api))
    for (const day of DAYS) {
      clock.now = new Date(`${day}T10:00:00.000Z`)
      for (let number = 0; number < KEYS_A_DAY; number += 1) await createKey(`KEY_${day}_${number}`)
      await whenAppended()
    }
  })
  afterEach(async () => {
    await database.close()
    await api.close()
  })

  const createKey = (name: string) =>
    api.call('createKey', { as: owner, body: { name: name.replaceAll('-', '_'), value: 'v' } })

  const outbox = () => database.query.selectFrom('events').select('position').execute()
  async function whenAppended(): Promise<void> {
    await until('the last entry', async () => (await outbox()).length === 0)
  }

  /** Start the API again on the same database. */
  async function restart(changes: Partial<TestApi['settings']> & { now?: () => Date } = {}): Promise<void> {
    await api.close()
    api = await startTestApi(kind, { ...api.settings, ...changes })
  }

  async function exported(range: Record<string, string> = {}): Promise<string> {
    return (await api.call('exportAudit', { as: owner, query: range })).text
  }

  const verdict = async () => {
    const [found] = await verifyAudit(api.settings, owner.tenantId)
    return found
  }
  const head = () =>
    database.query
      .selectFrom('audit_heads')
      .selectAll()
      .where('tenant_id', '=', owner.tenantId)
      .executeTakeFirstOrThrow()
  const newest = async () => (await api.call('listAudit', { as: owner })).json[0]

  const readiness = async () => {
    const { json } = await api.call('getReadiness')
    return json.warnings.join(' ')
  }

  // As a backup, or a standby that lagged, would have it.
  async function cutTail(seq: number): Promise<void> {
    const { tenantId } = owner
    await sql`delete from audit_log where tenant_id = ${tenantId} and seq > ${seq}`.execute(database.query)
    await sql`delete from audit_seals where tenant_id = ${tenantId} and seq > ${seq}`.execute(database.query)
    await sql`update audit_heads set seq = ${seq}, hash = (select hash from audit_log
      where tenant_id = ${tenantId} and seq = ${seq}) where tenant_id = ${tenantId}`.execute(database.query)
  }

  const setEpoch = (epoch: number) =>
    sql`update audit_heads set epoch = ${epoch} where tenant_id = ${owner.tenantId}`.execute(database.query)

  /** Append what waits, as another node would. */
  async function appendElsewhere(): Promise<void> {
    const now = clock.now.toISOString()
    const key = await auditKeyIn(database, api.settings, now)
    const options = { ...database, key, afterAppend: async () => {}, now, most: 100 }
    const seen = new Map([[owner.tenantId, undefined]])
    await database.write((transaction) => appendTogether(transaction, seen, options))
  }

  const notes = async () =>
    openChainNote((await api.call('getAuditNote', { as: owner })).text, await auditVerifierKey(api.settings))

  // Entries 1 and 2: the workspace and its first sign-in.
  const ENDS = [2 + KEYS_A_DAY, 2 + 2 * KEYS_A_DAY, 2 + 3 * KEYS_A_DAY] as const

  describe('pruning', () => {
    test('deletes the whole days of an export, records that, and leaves a chain', async () => {
      const text = await exported({ to_seq: String(ENDS[1] + 1) })
      const before = await head()
      expect(await pruneAudit(api.settings, chunksOf(text))).toEqual({
        tenantId: owner.tenantId,
        through: ENDS[1],
        count: ENDS[1],
      })
      expect(await head()).toMatchObject({
        ...before,
        first_seq: ENDS[1] + 1,
        first_prev: expect.any(String),
      })
      expect(await verdict()).toMatchObject({ problem: null })
      await createKey('LATER')
      await whenAppended()
      expect(await verdict()).toMatchObject({ problem: null, entries: KEYS_A_DAY + 2 })
      const pruned = (await api.call('listAudit', { as: owner, query: { action: 'audit.pruned' } })).json
      expect(pruned).toMatchObject([
        {
          actor: { kind: 'operator' },
          data: { through: ENDS[1], hash: (await head()).first_prev, count: ENDS[1] },
        },
      ])
      const rest = await checkExport([await exported()])
      expect(rest.first).toBe(ENDS[1] + 1)
      expect((await checkExport([text])).hashOf(ENDS[1])).toBe(rest.hashOf(ENDS[1]))
    })

    test('goes on where the last one ended', async () => {
      await pruneAudit(api.settings, chunksOf(await exported({ to_seq: String(ENDS[0]) })))
      const whole = await exported()
      expect(await pruneAudit(api.settings, chunksOf(whole))).toMatchObject({
        through: ENDS[1],
        count: KEYS_A_DAY,
      })
      expect(await verdict()).toMatchObject({ problem: null })
      await expect(pruneAudit(api.settings, chunksOf(whole))).rejects.toThrow('holds no whole day')
    })

    test('refuses what is not an export of this log from its beginning', async () => {
      const whole = await exported()
      const other = await api.newOwner()
      await whenAppended()
      const ofOther = (await api.call('exportAudit', { as: other })).text
      const refused: readonly [string, RegExp][] = [
        [
          await exported({ to_seq: String(ENDS[0] - 1) }),
          /no whole day that can be deleted; the newest entry always stays/,
        ],
        [await exported({ from_seq: '3' }), /begins at entry 3, the log at 1/],
        [whole.replace('KEY_2026', 'KEY_2025'), /line 3: entry 3 does not fit/],
        [whole.split('\n').slice(0, -2).join('\n'), /the note at the end is missing/],
        [whole.replace(/\{"note":.*/, '{"note":null}'), /neither an entry nor a signed end/],
        [withoutNote(whole), /the export has no note: export the log again/],
        [
          whole.replace(/\{"note":"keyferry chain v1\\n[^\\]*/, '{"note":"keyferry chain v1\\nother'),
          /it is not the end of entries/,
        ],
        [ofOther, /holds no whole day/],
      ]
      for (const [text, problem] of refused)
        await expect(pruneAudit(api.settings, chunksOf(text))).rejects.toThrow(problem)
      expect((await head()).first_seq).toBe(1)
    })

    test('refuses an export that differs from the log', async () => {
      const text = await exported()
      await sql`update audit_log set hash = ${CHAIN_START} where tenant_id = ${owner.tenantId} and seq = ${ENDS[1]}`.execute(
        database.query,
      )
      await expect(pruneAudit(api.settings, chunksOf(text))).rejects.toThrow(/is not the one in the export/)
    })

    test('by hand is found: no entry says that it was pruned', async () => {
      const { tenantId } = owner
      await sql`update audit_heads set first_seq = 4, first_prev = (select hash from audit_log
        where tenant_id = ${tenantId} and seq = 3) where tenant_id = ${tenantId}`.execute(database.query)
      await sql`delete from audit_log where tenant_id = ${tenantId} and seq < 4`.execute(database.query)
      expect(await verdict()).toMatchObject({
        problem: expect.stringContaining('no entry says that they were pruned'),
      })
    })

    test('by AUDIT_RETENTION_DAYS keeps that many days, and the newest entry for ever', async () => {
      clock.now = new Date('2026-01-11T10:00:00.000Z')
      await restart({ retentionDays: { audit: 9, deliveries: 0, deposits: 0 }, now: () => clock.now })
      await until('a pruned log', async () => (await head()).first_seq !== 1)
      await whenAppended()
      expect((await head()).first_seq).toBe(ENDS[0] + 1)
      expect(await verdict()).toMatchObject({ problem: null })
      expect(await newest()).toMatchObject({
        action: 'audit.pruned',
        actor: { kind: 'server', id: null },
        data: { through: ENDS[0], count: ENDS[0] },
      })
      expect(logLine(api, 'audit log pruned')).toMatchObject({
        tenantId: owner.tenantId,
        through: ENDS[0],
        count: ENDS[0],
      })
    })

    // Two servers of one process on one SQLite file would wait for each other for ever.
    if (kind === 'postgres') {
      test('by several nodes at once deletes each day once', async () => {
        // The last day stays within the limit: a node that starts late finds nothing more to delete.
        clock.now = new Date('2026-01-12T10:00:00.000Z')
        const options = {
          ...api.settings,
          retentionDays: { audit: 9, deliveries: 0, deposits: 0 },
          now: () => clock.now,
        }
        const nodes = await Promise.all([1, 2, 3].map(() => startTestApi(kind, options)))
        await until('a pruned log', async () => (await head()).first_seq === ENDS[1] + 1)
        await Promise.all(nodes.map((node) => node.close()))
        await whenAppended()
        const pruned = (await api.call('listAudit', { as: owner, query: { action: 'audit.pruned' } })).json
        expect(pruned).toHaveLength(1)
        expect(await verdict()).toMatchObject({ problem: null })
      })
    }
  })

  test('an export by the server has all entries, however many there are', async () => {
    let text = ''
    await exportAudit(api.settings, owner.tenantId, (lines) => {
      text += lines
    })
    expect(await checkExport([text])).toMatchObject({ first: 1, last: ENDS[2], next: null })
  })

  test('an export of a part says up to where it was asked for; with fewer entries, it is incomplete', async () => {
    const part = await exported({ to_seq: String(ENDS[0]) })
    expect(await checkExport([part])).toMatchObject({ last: ENDS[0], beyond: ENDS[2] })
    const lines = part.split('\n')
    await expect(checkExport([lines.toSpliced(ENDS[0] - 1, 1).join('\n')])).rejects.toThrow(
      `it is not the end of entries 1 to ${ENDS[0] - 1}`,
    )
  })

  describe('a restore', () => {
    test('begins a new epoch: a note of what it lost reads as lost', async () => {
      const lost = await notes()
      await cutTail(ENDS[1])
      expect(await recordRestore(api.settings, 'standby promoted')).toBe(1)
      expect(await verdict()).toMatchObject({ problem: null })
      await createKey('AFTER')
      await whenAppended()
      const [, restored] = (await api.call('listAudit', { as: owner })).json
      expect(restored).toMatchObject({
        action: 'audit.restored',
        actor: { kind: 'operator' },
        data: { epoch_before: 1, seq: ENDS[1], reason: 'standby promoted' },
      })
      const now = await notes()
      expect(now.epoch).toBeGreaterThan(1)
      expect(now.epoch).toBe(restored?.data['epoch'])
      const chain = await checkExport([await exported()])
      expect(chain.judge(lost)).toEqual({ kind: 'lost', at: restored?.at })
      expect(chain.judge(now)).toEqual({ kind: 'fits' })
      expect(await verdict()).toMatchObject({ problem: null })
    })

    test('that was not recorded stops the appending under a running node, and writes go on', async () => {
      await cutTail(ENDS[1])
      expect((await createKey('WAITING')).status).toBe(201)
      await until('a warning', async () => (await readiness()).includes('audit'))
      expect((await createKey('WAITING_TOO')).status).toBe(201)
      await recordRestore(api.settings, 'standby promoted')
      await createKey('APPENDED')
      await whenAppended()
      expect(await readiness()).toBe('')
      expect(await verdict()).toMatchObject({ problem: null })
    })

    test('that another node appended to ends the alarm of this node', async () => {
      await cutTail(ENDS[1])
      await createKey('WAITING')
      await until('a warning', async () => (await readiness()).includes('audit'))
      await recordRestore(api.settings, 'standby promoted')
      await appendElsewhere()
      await whenAppended()
      await expect.poll(readiness).toBe('')
    })

    test('is no excuse for a made-up epoch: what was cut from a pruned log is found, and not signed', async () => {
      const problem = expect.stringContaining('of epoch 7, and no entry says')
      await pruneAudit(api.settings, chunksOf(await exported({ to_seq: String(ENDS[0]) })))
      await whenAppended()
      const end = (await head()).seq
      clock.now = new Date('2026-01-04T10:00:00.000Z')
      await createKey('CUT')
      await whenAppended()
      await cutTail(end)
      await setEpoch(7)
      expect(await verdict()).toMatchObject({ problem })
      await createKey('WAITING')
      await until('a warning', async () => (await readiness()).includes('audit log went back'))
      await restart({ now: () => clock.now })
      await createKey('WAITING_TOO')
      await until('a warning', async () => (await readiness()).includes('audit log went back'))
      expect((await head()).seq).toBe(end)
      expect(await verdict()).toMatchObject({ problem })
    })

    test('an event of a restore counts for the head that it names only', async () => {
      await cutTail(ENDS[1])
      await recordRestore(api.settings, 'standby promoted')
      await cutTail(ENDS[0])
      await createKey('WAITING')
      await until('a warning', async () => (await readiness()).includes('audit log went back'))
      expect(await verdict()).toMatchObject({ problem: expect.stringContaining('and no entry says') })
    })

    test.each<[string, () => Promise<unknown>]>([
      [
        'the note of the last checkpoint changes',
        () =>
          sql`update audit_seals set note = 'x' where tenant_id = ${owner.tenantId}`.execute(database.query),
      ],
      [
        'all checkpoints are deleted',
        () => sql`delete from audit_seals where tenant_id = ${owner.tenantId}`.execute(database.query),
      ],
      [
        'what another node added is cut',
        async () => {
          const { seq } = await head()
          await createKey('ELSEWHERE')
          await appendElsewhere()
          await whenAppended()
          await cutTail(seq)
        },
      ],
    ])('is missed by the node that signed the head, where %s', async (_what, tamper) => {
      await createKey('SIGNED_HERE')
      await whenAppended()
      await tamper()
      await createKey('WAITING')
      await until('a warning', async () => (await readiness()).includes('audit log went back'))
    })

    test('stays explained when its own entry is pruned', async () => {
      await recordRestore(api.settings, 'standby promoted')
      await createKey('RESTORED')
      await whenAppended()
      const { epoch } = await head()
      clock.now = new Date('2026-01-09T10:00:00.000Z')
      await createKey('LATER')
      await whenAppended()
      expect(await pruneAudit(api.settings, chunksOf(await exported()))).toMatchObject({
        through: ENDS[2] + 2,
      })
      await whenAppended()
      expect(await head()).toMatchObject({ epoch })
      expect(await verdict()).toMatchObject({ problem: null })
      expect(await newest()).toMatchObject({ action: 'audit.pruned', data: { epoch } })
    })

    test('an epoch without a restore is found', async () => {
      await setEpoch(7)
      expect(await verdict()).toMatchObject({
        problem: expect.stringContaining('of epoch 7, and no entry says'),
      })
    })
  })

  describe('a person who is forgotten', () => {
    test('leaves no address, host or e-mail, and every chain stays whole', async () => {
      const before = await exported()
      expect(before).toContain('127.0.0.1')
      await createKey('WAITING_BY_THEM')
      const forgotten = await forgetInAudit(api.settings, owner.userId)
      expect(forgotten).toMatchObject({ userId: owner.userId, tenants: 1 })
      await createKey('AFTER')
      await whenAppended()
      const chain = await checkExport([await exported()])
      expect(chain.erased).toBe(forgotten?.origins)
      expect(await verdict()).toMatchObject({ problem: null, erased: forgotten?.origins })
      const log = (await api.call('listAudit', { as: owner, query: { limit: '100' } })).json
      expect(log.filter(({ origin }) => origin !== null)).toHaveLength(1)
      expect(log).toContainEqual(
        expect.objectContaining({
          action: 'person.forgotten',
          actor: { kind: 'operator', id: null, name: null },
          target: expect.objectContaining({ id: owner.userId }),
          data: { count: forgotten?.origins },
        }),
      )
    })

    test('leaves no name that they gave a workspace', async () => {
      const [person, name] = [await api.newOwner(), 'The Planted Family']
      const params = { tenant_id: person.tenantId }
      expect((await api.call('renameTenant', { as: person, params, body: { name } })).status).toBe(200)
      const shown = async () =>
        (await api.call('listAudit', { as: person, query: { action: 'tenant.renamed' } })).json
      await until('the entries', async () => (await shown()).every(({ sealed }) => sealed))
      expect((await shown()).map(({ target }) => target.name)).toEqual([name])
      await forgetInAudit(api.settings, person.userId)
      expect((await shown()).map(({ target }) => target.name)).toEqual([null])
      const { text } = await api.call('exportAudit', { as: person })
      expect(text).not.toContain('Planted')
    })

    if (kind === 'postgres') {
      test('is erased after an append that has read their events, never beside it', async () => {
        const waiting = sql<{ locks: number }>`select count(*)::int as locks from pg_locks
          join pg_stat_activity using (pid) where not granted and datname = current_database()`
        let forgetting: Promise<unknown> = Promise.resolve()
        await database.write(async (appending) => {
          await appending.selectFrom('audit_heads').select('tenant_id').modifyEnd(database.lock).execute()
          await createKey('READ_BY_THE_APPEND')
          forgetting = forgetInAudit(api.settings, owner.userId)
          await expect.poll(async () => (await waiting.execute(database.query)).rows).toEqual([{ locks: 1 }])
        })
        await forgetting
        await whenAppended()
        expect(await exported()).not.toContain('127.0.0.1')
      })
    }

    if (kind === 'sqlite') {
      test('is erased before the first append of their workspace', async () => {
        using file = new DatabaseSync(placeOf(api), { timeout: PATIENCE_MS })
        file.exec(
          "create trigger refusing before insert on audit_heads begin select raise(abort, 'later'); end",
        )
        const person = await api.newOwner()
        await api.call('createKey', { as: person, body: { name: 'WAITING', value: '' } })
        const forgotten = await forgetInAudit(api.settings, person.userId)
        expect(forgotten).toMatchObject({ userId: person.userId, tenants: 1 })
        file.exec('drop trigger refusing')
        const log = () => api.call('listAudit', { as: person })
        await until('the entries', async () => (await log()).json.every(({ sealed }) => sealed))
        expect((await log()).json.filter(({ origin }) => origin !== null)).toEqual([])
      })
    }

    test('is found by e-mail; their invitations to others keep the address of the others only', async () => {
      const body = { email: 'Invited@Example.com', role: 'member' }
      await api.call('createInvitation', { as: owner, body })
      const invited = { idp_user_id: 'user_invited', email: 'invited@example.com' }
      const { json } = await api.call('ensureUser', { body: invited })
      expect(await forgetInAudit(api.settings, 'invited@EXAMPLE.com')).toMatchObject({ userId: json.user_id })
      await whenAppended()
      expect(await exported()).not.toMatch(/invited@example.com/i)
      expect(await verdict()).toMatchObject({ problem: null, erased: 1 })
      expect(await forgetInAudit(api.settings, 'nobody@example.com')).toBeNull()
    })

    test('is named by their id if several people have the same address', async () => {
      const named = async (idp_user_id: string) =>
        (await api.call('ensureUser', { body: { idp_user_id, email: 'shared@example.com' } })).json.user_id
      const ids = [await named('user_one'), await named('user_other')]
      await expect(forgetInAudit(api.settings, 'shared@example.com')).rejects.toThrow(
        new RegExp(`^several users have this address; name one by its id: (${ids[0]}|${ids[1]}), `),
      )
      const forgotten = await forgetInAudit(api.settings, ids[1] ?? '')
      expect(forgotten).toMatchObject({ userId: ids[1], tenants: 1 })
    })
  })
})

const placeOf = ({ settings }: TestApi) => settings.databaseUrl ?? join(settings.dataDir, 'keyferry.db')
