import { LIMITS, TIMES } from '@keyferry/contract'
import { createDeviceSeed, signDeviceRequest } from '@keyferry/crypto/device-key'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import { expectError, type Identity, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const redis = await testRedis()
afterAll(() => redis?.stop())

type Terminal = { seed: Uint8Array; address: string }

type Asked = {
  command?: string
  cwd?: string
  agent?: string
  release?: string[]
  bundle?: string | null
  together?: boolean
}

describe.each([['sqlite', null] as const, ...(redis ? [['postgres', redis.url] as const] : [])])(
  'commands of one start on %s and %s',
  (kind, redisUrl) => {
    let api: TestApi
    let owner: Identity
    let offsetMs = 0
    const nowMs = () => Date.now() + offsetMs
    beforeAll(async () => {
      api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], redisUrl, now: () => new Date(nowMs()) })
      owner = await api.newOwner()
    })
    afterAll(() => api.close())

    const terminal = (): Terminal => ({ seed: createDeviceSeed(), address: new ReturningClient(api).address })

    /** A request that the terminal signs. */
    const ask = async ({ seed, address }: Terminal, asked: Asked = {}) => {
      const client = new ReturningClient(api)
      const {
        command = 'web',
        cwd = '/home/sam/shop',
        agent,
        release,
        bundle = 'dev/web',
        together = true,
      } = asked
      const argv = ['npm', 'run', command]
      const signed = {
        clientPublicKey: client.keyPair.publicKey,
        bundle: bundle ?? undefined,
        workspace: undefined,
        templateKeys: [],
        argv,
        argvMasked: undefined,
        cwd,
        agent,
      }
      const body = {
        ...client.returning(release),
        ...(bundle === null ? {} : { bundle_id: bundle }),
        ...(agent === undefined ? {} : { meta: { agent } }),
        argv,
        cwd,
        together,
        device: signDeviceRequest(seed, signed, new Date(nowMs()).toISOString()),
      }
      const answer = await client.ask(body, { 'x-forwarded-for': address })
      expect(answer.status).toBe(201)
      return { client, id: answer.json.id, joins: answer.json.joins === true }
    }
    const companionsOf = (id: string, as: Identity = owner) =>
      api.call('listCompanions', { as, params: { request_id: id } })
    const idsOf = async (id: string) => (await companionsOf(id)).json.map(({ request_id }) => request_id)

    test('are shown on each other’s page, and only the first opens its page', async () => {
      const shop = terminal()
      const web = await ask(shop)
      const worker = await ask(shop, { command: 'worker' })
      const mail = await ask(shop, { command: 'mail' })
      expect([web.joins, worker.joins, mail.joins]).toEqual([false, true, true])
      expect(await idsOf(web.id)).toEqual([worker.id, mail.id])
      expect(await idsOf(worker.id)).toEqual([web.id, mail.id])
      const [shown] = (await companionsOf(web.id)).json
      expect(shown?.context).toMatchObject({ argv: ['npm', 'run', 'worker'], status: 'pending' })
    })

    test.each<[string, Asked]>([
      ['in another folder', { cwd: '/home/sam/other' }],
      ['of a client that cannot be approved together', { together: false }],
    ])('one %s is not among them', async (_, other) => {
      const shop = terminal()
      const web = await ask(shop)
      expect((await ask(shop, other)).joins).toBe(false)
      expect(await idsOf(web.id)).toEqual([])
    })

    test('a request that another key signed is never among them, even if all else is equal', async () => {
      const shop = terminal()
      const web = await ask(shop)
      const forged = await ask({ ...terminal(), address: shop.address })
      expect(forged.joins).toBe(false)
      expect(await idsOf(web.id)).toEqual([])
      expect(await idsOf(forged.id)).toEqual([])
    })

    test('a request without a signature is refused', async () => {
      const client = new ReturningClient(api)
      const answer = await client.ask({ ...client.returning(), argv: ['a'], cwd: '/', together: true })
      expectError(answer, 400, 'together needs a device')
    })

    test('one from another address is not among them, though the key is the same', async () => {
      const shop = terminal()
      const web = await ask(shop)
      const elsewhere = await ask({ ...shop, address: terminal().address })
      expect(elsewhere.joins).toBe(false)
      expect(await idsOf(web.id)).toEqual([])
    })

    test('one that comes later is not among them', async () => {
      const shop = terminal()
      const web = await ask(shop)
      offsetMs += (TIMES.startSeconds + 1) * 1_000
      const late = await ask(shop)
      expect(late.joins).toBe(false)
      expect(await idsOf(web.id)).toEqual([])
    })

    test.each<[string, Asked]>([
      ['that an agent started', { agent: 'codex' }],
      ['that cannot return over loopback', { release: ['code'] }],
      ['that names no bundle', { bundle: null }],
    ])('one %s needs its own page, and is listed', async (_, other) => {
      const shop = terminal()
      const web = await ask(shop)
      const odd = await ask(shop, other)
      expect(odd.joins).toBe(false)
      expect(await idsOf(web.id)).toEqual([odd.id])
    })

    test('one that is denied or approved is not among them', async () => {
      const shop = terminal()
      const { id: bundleId, name } = await newBundle(api, owner, { [`SOME_${kind}`]: 's' })
      const [web, denied, approved] = [await ask(shop), await ask(shop), await ask(shop, { bundle: name })]
      await api.call('denyRequest', { as: owner, params: { request_id: denied.id } })
      const choice = {
        requestId: approved.id,
        bundle_id: bundleId,
        include_keys: [`SOME_${kind}`],
        release: 'loopback',
      }
      expect((await approveWith(api, owner, choice)).status).toBe(200)
      expect(await idsOf(web.id)).toEqual([])
      expect((await ask(shop)).joins).toBe(true)
    })

    test('each approval has its own delivery, seal and return', async () => {
      const shop = terminal()
      const bundles = [
        { ...(await newBundle(api, owner, { [`WEB_${kind}`]: 'w' })), keys: [`WEB_${kind}`] },
        { ...(await newBundle(api, owner, { [`MAIL_${kind}`]: 'm' })), keys: [`MAIL_${kind}`] },
      ]
      const started = await Promise.all(bundles.map(async ({ name }) => await ask(shop, { bundle: name })))
      const answers = await Promise.all(
        started.map(async ({ id }, index) => {
          const { id: bundle_id = '', keys: include_keys = [] } = bundles[index] ?? {}
          return await approveWith(api, owner, {
            requestId: id,
            bundle_id,
            include_keys,
            release: 'loopback',
          })
        }),
      )
      const secrets = answers.map(({ json }) => secretOf(json))
      const statuses: (number | undefined)[] = []
      for (const secret of secrets.toReversed())
        statuses.push((await started[0]?.client.release(started[0].id, secret))?.status)
      expect(statuses).toEqual([400, 200])
      expect(started[0]?.client.opened(await started[0].client.waits(started[0].id))).toEqual({
        [`WEB_${kind}`]: 'w',
      })
      const params = { request_id: started[1]?.id ?? '' }
      expect((await api.call('getRequestContext', { params })).json.status).toBe('held')
      expect((await started[1]?.client.release(params.request_id, secrets[1] ?? ''))?.status).toBe(200)
      expect(started[1]?.client.opened(await started[1].client.waits(params.request_id))).toEqual({
        [`MAIL_${kind}`]: 'm',
      })
      const deliveries = (await api.call('listDeliveries', { as: owner })).json
      const names = bundles.map(({ name }) => name)
      expect(deliveries.filter(({ bundle }) => names.includes(bundle.name))).toHaveLength(2)
    })

    test(`a page lists at most ${LIMITS.companions}`, async () => {
      const shop = terminal()
      const web = await ask(shop)
      for (let count = 0; count < LIMITS.companions + 1; count += 1) await ask(shop)
      expect(await idsOf(web.id)).toHaveLength(LIMITS.companions)
    })

    test('the list is for people who are signed in', async () => {
      const { id } = await ask(terminal())
      expectError(await api.call('listCompanions', { params: { request_id: id } }), 401, 'Unauthorized')
      expectError(await companionsOf('0'.repeat(32)), 404, 'request not found or expired')
    })
  },
)
