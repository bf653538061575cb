import { AUDIT_GROUPS, type AuditGroup, auditGroupOf } from '@keyferry/contract/audit-groups'
import { CHAIN_START, chainHash } from '@keyferry/crypto/audit-chain'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { openNote } from '@keyferry/crypto/signed-note'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { createAuditStore } from '../src/storage/audit/audit-log.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { fetchValues, grant, newBundle, newMachine } from './machine-client.ts'

/** The audit log of the caller once everything in it is appended. */
async function wholeLog(api: TestApi, as: Identity) {
  return await until('the last entry', async () => {
    const { json } = await api.call('listAudit', { as, query: { limit: '1000' } })
    return json.every(({ sealed }) => sealed) && json
  })
}

async function exported(api: TestApi, as: Identity) {
  const { text } = await api.call('exportAudit', { as })
  return text.trimEnd().split('\n')
}

describe.each(oneDatabase)('the audit log on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  test('an event is there with the answer, and appended soon after', async () => {
    const { json: key } = await api.call('createKey', { as: owner, body: { name: 'A', value: 'marked' } })
    const [newest] = (await api.call('listAudit', { as: owner })).json
    expect(newest).toMatchObject({
      action: 'key.created',
      target: { kind: 'key', id: key.id, name: 'A' },
      actor: { kind: 'user', id: owner.userId },
      data: { version: 1, is_secret: true },
      origin: { ip: '127.0.0.1' },
    })
    expect(newest?.data).toEqual({ version: 1, is_secret: true })
    expect(newest?.actor.name).not.toBeNull()
    const [appended] = await wholeLog(api, owner)
    expect(appended).toMatchObject({ id: newest?.id, sealed: true, seq: expect.any(Number) })
  })

  test('an export chains to the signed note', async () => {
    const log = await wholeLog(api, owner)
    const lines = await exported(api, owner)
    let head = CHAIN_START
    for (const line of lines.slice(0, -1)) {
      const { hash, origin } = JSON.parse(line)
      const body = line.slice(83, origin === undefined ? -1 : line.lastIndexOf(',"origin":'))
      head = chainHash(head, body)
      expect(hash).toBe(head)
    }
    expect(lines).toHaveLength(log.length + 1)
    const { note } = JSON.parse(lines.at(-1) ?? '')
    const { key } = (await api.call('getAuditKey', { as: owner })).json
    const signed = openNote(note, key)?.split('\n')
    expect(signed?.slice(0, 4)).toEqual([
      'keyferry chain v1',
      `keyferry.example.com/audit/${owner.tenantId}`,
      String(log.length),
      Buffer.from(head, 'hex').toString('base64'),
    ])
    expect((await api.call('getAuditNote', { as: owner })).text).toBe(note)
  })

  test('an export from the last number that an entry can have is whole', async () => {
    const query = { from_seq: '2147483647' }
    const { status, text } = await api.call('exportAudit', { as: owner, query })
    expect([status, text.trimEnd().split('\n').length]).toEqual([200, 2])
  })

  test('filters find by target, actor, action, number and time', async () => {
    const all = await wholeLog(api, owner)
    const [newest] = all
    const find = async (query: Record<string, string>) =>
      (await api.call('listAudit', { as: owner, query })).json.map(({ seq }) => seq)
    const last = newest?.seq ?? 0
    expect(await find({ target: newest?.target.id ?? '' })).toEqual([last])
    expect(await find({ action: 'key.created' })).toEqual([last])
    expect(await find({ actor: owner.userId })).toHaveLength(all.length)
    expect(await find({ before: String(last) })).not.toContain(last)
    expect(await find({ after: String(last - 1) })).toEqual([last])
    expect(await find({ to: newest?.at ?? '' })).not.toContain(last)
    expect(await find({ from: newest?.at ?? '' })).toContain(last)
  })

  test('an entry of a variable says which bundles have it now, production first', async () => {
    const as = await api.newOwner()
    const { json: key } = await api.call('createKey', { as, body: { name: 'PLACED', value: 'x' } })
    const newestOf = async () => {
      const { json } = await api.call('listAudit', { as, query: { target: key.id } })
      return json[0]?.target
    }
    expect(await newestOf()).not.toHaveProperty('bundles')
    for (const name of ['dev/placed', 'prod/placed']) {
      const { json: bundle } = await api.call('createBundle', { as, body: { name } })
      await api.call('attachKey', { as, params: { bundle_id: bundle.id, key_id: key.id } })
    }
    expect((await newestOf())?.bundles).toMatchObject([
      { name: 'prod/placed', is_production: true },
      { name: 'dev/placed', is_production: false },
    ])
  })

  test('each change adds its event, and a refused one adds none', async () => {
    const as = await api.newOwner()
    const actions = async () => (await api.call('listAudit', { as })).json.map(({ action }) => action)
    expect(await actions()).toEqual(['user.signed_in', 'audit.started'])
    const name = 'dev/app'
    const { json: bundle } = await api.call('createBundle', { as, body: { name } })
    await api.call('createBundle', { as, body: { name } })
    const { json: key } = await api.call('createKey', { as, body: { name: 'A', value: 'v' } })
    const params = { bundle_id: bundle.id, key_id: key.id, tenant_id: as.tenantId }
    await api.call('attachKey', { as, params })
    await api.call('attachKey', { as, params })
    await api.call('exportBundle', { as, params, query: { format: 'env' } })
    await api.call('detachKey', { as, params })
    await api.call('detachKey', { as, params })
    await api.call('updateKey', { as, params, body: { is_secret: false } })
    await api.call('deleteKey', { as, params })
    await api.call('deleteKey', { as, params })
    await api.call('renameTenant', { as, params, body: { name: 'renamed' } })
    expect((await actions()).toReversed().slice(2)).toEqual([
      'bundle.created',
      'key.created',
      'bundle.attached',
      'bundle.exported',
      'bundle.detached',
      'key.declared_public',
      'key.deleted',
      'tenant.renamed',
    ])
  })

  describe('as stories', () => {
    const today = new Date().toISOString().slice(0, 10)
    let as: Identity
    let member: Identity
    let bundle: Awaited<ReturnType<typeof newBundle>>
    let machineId: string

    beforeAll(async () => {
      as = await api.newOwner()
      member = await joinWorkspace(api, as, 'member')
      bundle = await newBundle(api, as, { A: 'x' })
      const client = new ApprovalClient(api)
      const requestId = await client.asked()
      await approveWith(api, as, { requestId, bundle_id: bundle.id, include_keys: ['A'] })
      await client.wait(requestId)
      await api.call('denyRequest', { as, params: { request_id: await new ApprovalClient(api).asked() } })
      const machine = await newMachine(api, as)
      machineId = machine.id
      await grant(api, as, { machine, bundle })
      for (let calls = 0; calls < 3; calls += 1) await fetchValues(api, { ...machine, bundle_id: bundle.id })
      await api.call('createBundle', { as: member, body: { name: 'dev/own' } })
      await wholeLog(api, as)
    })

    const listed = async (query: Record<string, string>, by = as) =>
      (await api.call('listAudit', { as: by, query })).json

    test('a group has its actions only, in order and by pages, with their number', async () => {
      const all = await listed({})
      for (const group of AUDIT_GROUPS) {
        const expected = all.filter(({ action }) => auditGroupOf(action) === group).map(({ id }) => id)
        const answer = await api.call('listAudit', { as, query: { group } })
        expect(answer.json.map(({ id }) => id)).toEqual(expected)
        expect(answer.headers.get('x-total-count')).toBe(String(expected.length))
        const rest = await listed({ group, limit: '2', offset: '1' })
        expect(rest.map(({ id }) => id)).toEqual(expected.slice(1, 3))
      }
      expect(await listed({ group: 'refused', action: 'key.created' })).toEqual([])
    })

    test('`from` includes its time, and `to` does not', async () => {
      const all = await listed({})
      const middle = all[3]?.at ?? ''
      expect(await listed({ from: middle })).toEqual(all.filter(({ at }) => at >= middle))
      expect(await listed({ to: middle })).toEqual(all.filter(({ at }) => at < middle))
    })

    test('a delivery is one story, as are the calls of a machine; only who asks sees the field', async () => {
      const entries = await listed({ stories: '1' })
      const storiesOf = (...actions: string[]) =>
        entries.filter(({ action }) => actions.includes(action)).map(({ story }) => story)
      const delivery = storiesOf('delivery.approved', 'delivery.collected')
      expect([delivery.length, new Set(delivery).size]).toEqual([2, 1])
      const calls = storiesOf('delivery.machine')
      expect(calls).toHaveLength(3)
      // At most two, if an hour began between them.
      expect(new Set(calls).size).toBeLessThanOrEqual(2)
      expect((await listed({})).every((entry) => !('story' in entry))).toBe(true)
    })

    test('a day counts its stories by kind, and can be narrowed', async () => {
      const countOf = async (query: Record<string, string>, by = as) => {
        const { json } = await api.call('countAuditDays', { as: by, query })
        expect(json.counted_since).toBeNull()
        const days = json.days.filter(({ day }) => day >= today)
        const sum = (group: AuditGroup) => days.reduce((total, { counts }) => total + counts[group], 0)
        return Object.fromEntries(AUDIT_GROUPS.map((group) => [group, sum(group)]))
      }
      const counts = await countOf({})
      expect(counts).toMatchObject({ approvals: 1, refused: 1 })
      expect(counts['machines']).toBeGreaterThanOrEqual(4)
      expect(counts['machines']).toBeLessThanOrEqual(5)
      expect(await countOf({ actor: machineId })).toMatchObject({ approvals: 0, values: 0 })
      expect(await countOf({ target: bundle.id })).toMatchObject({ approvals: 1, refused: 0 })
      expect(await countOf({ actor: as.userId }, member)).toMatchObject({
        approvals: 0,
        values: 1,
        machines: 0,
      })
    })

    test('a count reads the newest entries, and no more than asked', async () => {
      const database = await openDatabaseOf(api)
      const key = { ...auditKeyOf(createAuditSeed()), name: 'keyferry.example.com/audit' }
      const counted = await createAuditStore(database.query, key).listCounted(as.tenantId, {}, 2)
      await database.close()
      const newest = (await listed({ limit: '2' })).map(({ action }) => action)
      expect(counted.map(({ action }) => action)).toEqual(newest)
    })

    test('days begin at midnight of the time zone', async () => {
      const query = { days: '3', time_zone: 'Pacific/Kiritimati' }
      const { json } = await api.call('countAuditDays', { as, query })
      const there = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10)
      expect(json.days).toHaveLength(3)
      expect(json.days.map(({ day }) => day)).toEqual(json.days.map(({ day }) => day).toSorted())
      expect([there, new Date(Date.parse(there) - 86_400_000).toISOString().slice(0, 10)]).toContain(
        json.days.at(-1)?.day,
      )
      for (const wrong of [{ time_zone: 'Moon/Crater' }, { days: '32' }, { days: '0' }])
        expect((await api.call('countAuditDays', { as, query: wrong })).status).toBe(400)
    })

    test('a member sees what they did, and no more', async () => {
      const { json } = await api.call('listOwnAudit', { as: member, query: { stories: '1' } })
      expect(json.map(({ action }) => action)).toContain('bundle.created')
      expect(json.every(({ actor }) => actor.id === member.userId)).toBe(true)
      const group = await api.call('listOwnAudit', { as: member, query: { group: 'approvals' } })
      expect(group.json).toEqual([])
    })
  })
})
