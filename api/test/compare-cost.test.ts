import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Identity, startTestApi, type TestApi } from './api.ts'

const BUNDLES = 20
const KEYS = 200
const BOUND_MS = 50

let api: TestApi
let owner: Identity
let bundleIds: string[]
beforeAll(async () => {
  api = await startTestApi('sqlite')
  owner = await api.newOwner()
  const first = (await api.call('createBundle', { as: owner, body: { name: 'b0' } })).json.id
  const names = Array.from({ length: KEYS }, (_, index) => `NAME_${index}`)
  for (const name of names) {
    const { id } = (await api.call('createKey', { as: owner, body: { name, value: 'v' } })).json
    await api.call('attachKey', { as: owner, params: { bundle_id: first, key_id: id } })
  }
  bundleIds = [first]
  for (let index = 1; index < BUNDLES; index += 1) {
    const body = { name: `b${index}`, own: names.slice(0, KEYS / 2) }
    const copy = await api.call('duplicateBundle', { as: owner, params: { bundle_id: first }, body })
    bundleIds.push(copy.json.id)
  }
}, 60_000)
afterAll(() => api.close())

test('comparing 20 bundles of 200 names takes less than 50 ms of processor time', async () => {
  const query = bundleIds.map((id): [string, string] => ['bundle_id', id])
  const compare = () => api.call('compareBundles', { as: owner, query })
  expect((await compare()).json.rows).toHaveLength(KEYS)
  const times: number[] = []
  for (let run = 0; run < 5; run += 1) {
    const from = process.cpuUsage()
    await compare()
    const { user, system } = process.cpuUsage(from)
    times.push((user + system) / 1_000)
  }
  expect(Math.min(...times)).toBeLessThan(BOUND_MS)
})
