import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import {
  administer,
  freshPostgres,
  hasPostgres,
  ownPostgres,
  standbyOf,
} from '../../plumbing/test/postgres.ts'
import { startTestApi } from './api.ts'

const MOST = 10
const OTHERS = 4

describe.skipIf(!hasPostgres())('connections to PostgreSQL', () => {
  test('calls wait for one when the server has no more, and the start says that it has too few', async () => {
    const postgres = await ownPostgres({ connections: MOST })
    const others = Array.from({ length: OTHERS }, () => new Client(postgres.url))
    await Promise.all(others.map((client) => client.connect()))
    const api = await startTestApi('sqlite', { databaseUrl: postgres.url, databaseConnections: 20 })
    expect(api.log()).toContain('PostgreSQL has fewer connections left than DATABASE_CONNECTIONS')
    expect(api.log()).toMatch(/"wanted":20,"most":7,"others":[45]/)
    const as = await api.newOwner()
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, n) => api.call('createKey', { as, body: { name: `K${n}`, value: '' } })),
    )
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
    await Promise.all(others.map((client) => client.end()))
    await api.close()
    await postgres.dispose()
  })

  test('a node opens as many as DATABASE_CONNECTIONS says, and no more', async () => {
    const databaseUrl = await freshPostgres()
    const api = await startTestApi('sqlite', { databaseUrl, databaseConnections: 3 })
    const as = await api.newOwner()
    const names = Array.from({ length: 40 }, (_, n) => `K${n}`)
    await Promise.all(names.map((name) => api.call('createKey', { as, body: { name, value: '' } })))
    const watcher = new Client(databaseUrl)
    await watcher.connect()
    const others = 'datname = current_database() and pid <> pg_backend_pid()'
    const { rows } = await watcher.query(`select count(*)::int as open from pg_stat_activity where ${others}`)
    expect(rows).toEqual([{ open: 3 }])
    await watcher.end()
    await api.close()
  })

  test('a server with enough connections is not mentioned at the start', async () => {
    const api = await startTestApi('postgres')
    expect(api.log()).not.toContain('DATABASE_CONNECTIONS')
    await api.close()
  })

  test('that take no writes are not ready, and the next ones are as soon as the database is', async () => {
    const databaseUrl = await freshPostgres()
    const api = await startTestApi('sqlite', { databaseUrl })
    const as = await api.newOwner()
    const name = new URL(databaseUrl).pathname.slice(1)
    const readOnly = (how: string) => administer(databaseUrl, `alter database "${name}" ${how}`)
    await readOnly('set default_transaction_read_only = on')
    const others = 'datname = current_database() and pid <> pg_backend_pid()'
    await administer(databaseUrl, `select pg_terminate_backend(pid) from pg_stat_activity where ${others}`)
    const readiness = async () => {
      const { status, json } = await api.call('getReadiness')
      return [status, json.failing]
    }
    await expect.poll(readiness).toEqual([503, ['database']])
    const create = () => api.call('createKey', { as, body: { name: 'KEY', value: 'v' } })
    expect((await create()).failure?.code).toBe('unavailable')
    await administer(
      databaseUrl,
      `begin read write; alter database "${name}" reset default_transaction_read_only; commit`,
    )
    await expect.poll(readiness).toEqual([200, []])
    await expect.poll(async () => (await create()).status).toBe(201)
    await api.close()
  })

  test('go to the host that takes writes, and to the standby once it is promoted', async () => {
    const primary = await ownPostgres()
    const standby = await standbyOf(primary)
    const [from, to] = [new URL(primary.url), new URL(standby.url)]
    const databaseUrl = `postgres://postgres:postgres@${to.host},${from.host}/postgres?target_session_attrs=read-write`
    const api = await startTestApi('sqlite', { databaseUrl })
    const as = await api.newOwner()
    const kept = await api.call('createKey', { as, body: { name: 'KEPT', value: 'v' } })
    const reader = new Client(standby.url)
    await reader.connect()
    await expect.poll(async () => (await reader.query('select 1 from keys')).rowCount).toBe(1)
    await reader.end()
    await primary.stop()
    await administer(standby.url, 'select pg_promote()')
    const create = () => api.call('createKey', { as, body: { name: 'LATER', value: 'w' } })
    await expect.poll(async () => (await create()).status).toBe(201)
    const read = await api.call('getKey', { as, params: { key_id: kept.json.id } })
    expect(read.json).toMatchObject({ name: 'KEPT' })
    await api.close()
    await Promise.all([primary.dispose(), standby.dispose()])
  })
})
