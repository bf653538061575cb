import { setTimeout as sleep } from 'node:timers/promises'
import { CHAIN_START, chainHash } from '@keyferry/crypto/audit-chain'
import { openNote } from '@keyferry/crypto/signed-note'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type Identity, startTestApi, type TestApi } from './api.ts'

/** The audit log of the caller once everything in it is sealed. */
async function sealedLog(api: TestApi, as: Identity) {
  for (;;) {
    const { json } = await api.call('listAudit', { as, query: { limit: '1000' } })
    if (json.every(({ sealed }) => sealed)) return json
    await sleep(20)
  }
}

async function exported(api: TestApi, as: Identity) {
  const { text } = await api.call('exportAudit', { as })
  return text.trimEnd().split('\n')
}

describe.each(databases)('the audit log on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  test('an event is there with the answer, and sealed soon after', async () => {
    const { json: key } = await api.call('createKey', { as: owner, body: { name: 'A', value: 'marked' } })
    const [newest] = (await api.call('listAudit', { as: owner })).json
    expect(newest).toMatchObject({
      action: 'key.created',
      target: { kind: 'key', id: key.id, name: 'A' },
      actor: { kind: 'user', id: owner.userId },
      data: { version: 1, is_secret: true },
      origin: { ip: '127.0.0.1' },
    })
    expect(newest?.actor.name).not.toBeNull()
    const [sealed] = await sealedLog(api, owner)
    expect(sealed).toMatchObject({ id: newest?.id, sealed: true, seq: expect.any(Number) })
  })

  test('an export chains to the signed note', async () => {
    const log = await sealedLog(api, owner)
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
    const all = await sealedLog(api, owner)
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
})
