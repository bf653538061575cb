import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acceptForeignRows, findForeignRows } from '../src/main.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { coveredColumns, macTable } from '../src/storage/row-macs/mac-tables.ts'
import { databases, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import { eventsOf } from './machine-client.ts'
import {
  approved,
  approvedInWorkspace,
  FORGERIES,
  NOW,
  newWorld,
  type Row,
  rulesOfFolder,
  rulesOfOwn,
  rulesOfWorkspace,
  type World,
} from './row-forgeries.ts'

const pairs = (row: Row, between: ReturnType<typeof sql>) =>
  sql.join(
    Object.entries(row).map(([name, value]) => sql`${sql.ref(name)} = ${value}`),
    between,
  )

const inBundle = ({ id }: { id: string }) => ({ place: id, bundle_id: id })
const inWorkspace = { place: 'workspace', bundle_id: null }

describe.each(databases)('what a program writes past the server, on %s', (kind) => {
  let api: TestApi
  let database: Database
  let world: World

  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    // Without the key of the server, it writes and reads plain rows.
    database = await openDatabaseOf(api)
    world = await newWorld(api)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const execute = (statement: ReturnType<typeof sql>) => statement.execute(database.query)
  async function copyOf(table: string, found: Row): Promise<Row[]> {
    const rows = sql<Row>`select * from ${sql.table(table)} where ${pairs(found, sql` and `)}`
    return (await rows.execute(database.query)).rows
  }

  // Its copy has no rules.
  async function replace(table: string): Promise<() => Promise<unknown>> {
    const [own, former] = [sql.table(table), sql.table(`former_${table}`)]
    await execute(sql`alter table ${own} rename to ${former}`)
    await execute(sql`create table ${own} as select * from ${former}`)
    return async () => {
      await execute(sql`drop table ${own}`)
      await execute(sql`alter table ${former} rename to ${own}`)
    }
  }

  async function insert(table: string, row: Row): Promise<() => Promise<unknown>> {
    const putBack = row['id'] === null ? await replace(table) : null
    const names = Object.keys(row).map((name) => sql.ref(name))
    await execute(
      sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(Object.values(row))})`,
    )
    if (putBack) return putBack
    const known = macTable(table)
    const found = known ? coveredColumns(known).key : ['id']
    const key = Object.fromEntries(found.map((name) => [name, row[name] ?? null]))
    return () => execute(sql`delete from ${sql.table(table)} where ${pairs(key, sql` and `)}`)
  }

  async function update(table: string, where: Row, change: Row): Promise<() => Promise<unknown>> {
    const columns = sql.join(Object.keys(change).map((name) => sql.ref(name)))
    const { rows } =
      await sql<Row>`select ${columns} from ${sql.table(table)} where ${pairs(where, sql` and `)}`.execute(
        database.query,
      )
    const [before] = rows
    if (!before) throw new Error(`no row of ${table}`)
    const set = (values: Row, found: Row) =>
      execute(sql`update ${sql.table(table)} set ${pairs(values, sql`, `)} where ${pairs(found, sql` and `)}`)
    await set(change, where)
    return () =>
      set(before, {
        ...where,
        ...Object.fromEntries(Object.entries(change).filter(([name]) => name in where)),
      })
  }

  async function remove(table: string, where: Row): Promise<() => Promise<unknown>> {
    const [row] = await copyOf(table, where)
    if (!row) throw new Error(`no row of ${table}`)
    await execute(sql`delete from ${sql.table(table)} where ${pairs(where, sql` and `)}`)
    return () => insert(table, row)
  }

  test.each(Object.entries(FORGERIES))(
    '%s: refused, logged and found',
    async (_, { table, row, where, change, call }) => {
      const undo = row
        ? await insert(table, row(world))
        : change === 'deletion'
          ? await remove(table, where?.(world) ?? {})
          : await update(table, where?.(world) ?? {}, change?.(world) ?? {})
      const logged = api.log().length
      const answer = await call(api, world)
      const found = await findForeignRows(api.settings)
      await undo()
      expect([answer.status, answer.failure?.error]).toEqual([
        500,
        'a row of the database was changed past the server',
      ])
      expect(new Set(found.map((each) => each.table))).toEqual(new Set([table]))
      const log = api.log().slice(logged)
      const lines = found.map(({ name }) => `"error":"RowNotWrittenByServer","code":"${table} ${name}"`)
      expect(lines.filter((line) => log.includes(line))).toHaveLength(1)
      expect(await findForeignRows(api.settings)).toEqual([])
      expect((await call(api, world)).status).not.toBe(500)
    },
  )

  test.each<[string, (world: World) => Row, (world: World) => Row, (typeof FORGERIES)[string]['call']]>([
    ['a bundle in another bundle', rulesOfOwn, (w) => inBundle(w.bundle), approved((w) => w.bundle)],
    ['a bundle in its workspace', rulesOfOwn, () => inWorkspace, approved((w) => w.bundle)],
    ['a folder in a bundle', rulesOfFolder, (w) => inBundle(w.bundle), approved((w) => w.bundle)],
    ['a folder in its workspace', rulesOfFolder, () => inWorkspace, approved((w) => w.bundle)],
    [
      'a workspace in one of its bundles',
      rulesOfWorkspace,
      (w) => inBundle(w.ruled.inWorkspace),
      approvedInWorkspace,
    ],
    [
      'a workspace in another one',
      rulesOfWorkspace,
      (w) => ({ tenant_id: w.owner.tenantId }),
      approved((w) => w.bundle),
    ],
  ])('rules of %s are refused and found', async (_, from, to, call) => {
    const [row = {}] = await copyOf('policies', from(world))
    const moved = { ...row, ...to(world) }
    const undo = await insert('policies', moved)
    const { status } = await call(api, world)
    const found = await findForeignRows(api.settings)
    await undo()
    expect(status).toBe(500)
    const name = [moved['tenant_id'], moved['place']].map(String).join(' ')
    expect(found).toMatchObject([{ table: 'policies', name, problem: 'foreign' }])
    expect((await call(api, world)).status).not.toBe(500)
  })

  test('rules of a folder that the server did not write are not read, and found', async () => {
    const { tenantId: tenant_id } = world.owner
    const undo = await insert('policies', { tenant_id, place: 'forged/', approvers: 'member' })
    const name = `${tenant_id} forged/`
    expect(await findForeignRows(api.settings)).toMatchObject([{ table: 'policies', name }])
    expect(
      (await api.call('getTenantPolicy', { as: world.owner, query: { places: '1' } })).text,
    ).not.toContain('forged/')
    await undo()
  })

  test('an old row that is put back is found', async () => {
    const { owner, ended, machine, bundle } = world
    const place = { machine_id: ended.id, bundle_id: bundle.id }
    const copies = await copyOf('machine_grants', place)
    await api.call('revokeBundle', { as: owner, params: place })
    for (const copy of copies) await insert('machine_grants', copy)
    const name = `${owner.tenantId} ${ended.id} ${bundle.id}`
    const old = { table: 'machine_grants', name, tenantId: owner.tenantId, problem: 'old' }
    expect(await findForeignRows(api.settings)).toEqual([old])
    await api.call('revokeBundle', { as: owner, params: place })

    const found = { id: machine.tokenId }
    const [before = {}] = await copyOf('machine_tokens', found)
    await api.call('endMachineToken', {
      as: owner,
      params: { machine_id: machine.id, token_id: machine.tokenId },
    })
    const [ended_now = {}] = await copyOf('machine_tokens', found)
    await update('machine_tokens', found, before)
    const token = {
      table: 'machine_tokens',
      name: `${owner.tenantId} ${machine.tokenId}`,
      tenantId: owner.tenantId,
    }
    expect(await findForeignRows(api.settings)).toEqual([{ ...token, problem: 'old' }])
    await update('machine_tokens', found, ended_now)
    expect(await findForeignRows(api.settings)).toEqual([])
  })

  test('a place in a group is found that is put back after the person left and came again', async () => {
    const { owner, inGroup, group } = world
    const { userId, tenantId } = inGroup
    const { json } = await api.call('listMembers', { as: owner })
    const email = json.find(({ user_id }) => user_id === userId)?.email ?? ''
    const saved = await copyOf('group_members', { tenant_id: tenantId, user_id: userId })
    await api.call('removeMember', { as: owner, params: { user_id: userId } })
    const invited = await api.call('createInvitation', { as: owner, body: { email, role: 'member' } })
    const own = await api.call('ensureUser', { body: { idp_user_id: inGroup.idpUserId, email } })
    const as = { userId, tenantId: own.json.tenant_id }
    expect((await api.call('acceptInvitation', { as, body: { token: invited.json.token } })).status).toBe(200)
    expect(await findForeignRows(api.settings)).toEqual([])
    const undo = await insert('group_members', saved[0] ?? {})
    const old = { table: 'group_members', name: `${tenantId} ${group} ${userId}`, tenantId, problem: 'old' }
    expect(await findForeignRows(api.settings)).toEqual([old])
    await undo()
  })

  test('a removed signing key that is put back is found', async () => {
    const { account, approvalKey } = world
    const { tenantId } = account
    const saved = await copyOf('approval_keys', { tenant_id: tenantId, id: approvalKey })
    const removed = { as: account, params: { key_id: approvalKey } }
    expect((await api.call('removeApprovalKey', removed)).status).toBe(200)
    const undo = await insert('approval_keys', saved[0] ?? {})
    const old = { table: 'approval_keys', name: `${tenantId} ${approvalKey}`, tenantId, problem: 'old' }
    expect(await findForeignRows(api.settings)).toEqual([old])
    await undo()
  })

  type Place = { bundle_id: string; key_id: string }
  const asOwner = async (name: Parameters<TestApi['call']>[0], call: object = {}) => {
    const answer = await api.call(name, { as: world.owner, ...call })
    expect(answer.failure).toBeNull()
  }
  const newKey = async (name: string) => {
    const { json } = await api.call('createKey', { as: world.owner, body: { name, value: 'shared' } })
    return json.id
  }
  const newBundle = async (name: string) =>
    (await api.call('createBundle', { as: world.owner, body: { name } })).json.id

  const LEAVINGS: Readonly<Record<string, (params: Place, name: string) => Promise<unknown>>> = {
    'another key took its place': async (params) => {
      const body = { key_id: await newKey('TAKES_ITS_PLACE') }
      return asOwner('changeAttachment', { params, body })
    },
    'it was split': (params) => asOwner('splitKey', { params }),
    'an import gave the bundle its own key': (_, name) => {
      const entries = [{ name, value: 'own' }]
      return asOwner('importVariables', { body: { bundle: `${name}/one`, entries, own: [name] } })
    },
    'its key was deleted': ({ key_id }) => asOwner('deleteKey', { params: { key_id } }),
  }

  test.each(Object.entries(LEAVINGS))('a key put back into a bundle is found after %s', async (_, leave) => {
    const name = `SHARED_${randomUUID().slice(0, 8).toUpperCase()}`
    const keyId = await newKey(name)
    const [one, two] = [await newBundle(`${name}/one`), await newBundle(`${name}/two`)]
    for (const bundle_id of [one, two]) await asOwner('attachKey', { params: { bundle_id, key_id: keyId } })
    const place = { bundle_id: one }
    const [before, [saved = {}]] = [await copyOf('attachments', place), await copyOf('keys', { id: keyId })]
    await leave({ ...place, key_id: keyId }, name)
    const after = await copyOf('attachments', place)
    const isGone = (await copyOf('keys', { id: keyId })).length === 0

    const put = async (rows: readonly Row[]) => {
      await execute(sql`delete from attachments where ${pairs(place, sql` and `)}`)
      for (const row of rows) await insert('attachments', row)
    }
    const putBack = isGone ? await insert('keys', saved) : null
    await put(before)
    const named = `${world.owner.tenantId} ${one} ${keyId}`
    const found = { table: 'attachments', name: named, tenantId: world.owner.tenantId, problem: 'old' }
    expect(await findForeignRows(api.settings)).toEqual([found])
    await put(after)
    await putBack?.()
    expect(await findForeignRows(api.settings)).toEqual([])
  })

  test('what an operator accepts counts, and the log says so', async () => {
    const { owner, outsider } = world
    const row = {
      id: randomUUID(),
      user_id: outsider.userId,
      tenant_id: owner.tenantId,
      role: 'member',
      created_at: NOW,
    }
    const undo = await insert('memberships', row)
    const as = { ...outsider, tenantId: owner.tenantId }
    expect((await api.call('listKeys', { as })).status).toBe(500)
    const accepted = {
      table: 'memberships',
      name: row.id,
      tenantId: owner.tenantId,
      version: expect.any(Number),
    }
    expect(await acceptForeignRows(api.settings)).toEqual([accepted])
    expect((await api.call('listKeys', { as })).status).toBe(200)
    expect(await eventsOf(api, owner, 'audit.accepted')).toEqual([
      expect.objectContaining({
        data: { count: 1, names: [`memberships ${row.id}`] },
        actor: expect.objectContaining({ kind: 'operator' }),
      }),
    ])
    await undo()
  })

  test.each([
    'rules of a bundle that are gone',
    'rules of a folder that are gone',
    'rules of a workspace that are gone',
  ])('an operator accepts %s, and those that are there again', async (name) => {
    const { table = 'policies', where, call } = FORGERIES[name] ?? {}
    const place = where?.(world) ?? {}
    const status = async () => (await call?.(api, world))?.status
    const problems = async () => (await findForeignRows(api.settings)).map(({ problem }) => problem)
    const putBack = await remove(table, place)
    expect([await status(), await problems()]).toEqual([500, ['missing']])
    await acceptForeignRows(api.settings)
    expect([await status(), await problems()]).toEqual([200, []])
    await putBack()
    await acceptForeignRows(api.settings)
    expect([await status(), await problems()]).toEqual([403, []])
    await remove(table, place)
    expect([await status(), await problems()]).toEqual([500, ['missing']])
    await acceptForeignRows(api.settings)
  })

  test('a database whose MACs were removed gets no new ones', async () => {
    await execute(sql`update memberships set mac = null, row_version = null`)
    const names = (await findForeignRows(api.settings)).map(({ table }) => table)
    expect(new Set(names)).toEqual(new Set(['memberships']))
    expect((await api.call('getMe', { as: world.owner })).status).toBe(500)
  })
})
