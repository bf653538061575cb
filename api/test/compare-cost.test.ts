import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Identity, startTestApi, type TestApi } from './api.ts'
import { countedQueries } from './counted-queries.ts'
import { joinWorkspace } from './joined.ts'

const KEYS = 20

const counted = countedQueries()

let api: TestApi
let owner: Identity
let bundleIds: string[]

beforeAll(async () => {
  api = await startTestApi('sqlite', { aroundDatabase: counted.aroundDatabase })
  owner = await api.newOwner()
  const first = (await api.call('createBundle', { as: owner, body: { name: 'b0' } })).json.id
  const names = Array.from({ length: KEYS }, (_, index) => `NAME_${index}`)
  for (const name of names) {
    const { id } = (await api.call('createKey', { as: owner, body: { name, value: 'v' } })).json
    await api.call('attachKey', { as: owner, params: { bundle_id: first, key_id: id } })
  }
  bundleIds = [first]
  for (let index = 1; index < 20; index += 1) {
    const body = { name: `b${index}`, own: names.slice(0, KEYS / 2) }
    const copy = await api.call('duplicateBundle', { as: owner, params: { bundle_id: first }, body })
    bundleIds.push(copy.json.id)
  }
})
afterAll(() => api.close())

const fewestQueriesFor = (as: Identity, ids: readonly string[]) =>
  counted.fewestOf(async () => {
    const query = ids.map((id): [string, string] => ['bundle_id', id])
    const { json } = await api.call('compareBundles', { as, query })
    expect(json.rows.filter(({ cells }) => cells.length === ids.length)).toHaveLength(KEYS)
  })

// The processor time of a comparison is a benchmark: `npm run bench -- comparing`.
test.each([
  ['an owner', () => owner],
  ['a member', () => joinWorkspace(api, owner, 'member')],
  [
    'a limited member',
    async () => {
      const as = await joinWorkspace(api, owner, 'member')
      const body = { limited_to: bundleIds.map((_, index) => `b${index}`) }
      await api.call('changeMemberLimit', { as: owner, params: { user_id: as.userId }, body })
      return as
    },
  ],
])(
  'comparing takes %s the same number of queries for each bundle, however many keys they have',
  async (_, joined) => {
    const as = await joined()
    const few = await fewestQueriesFor(as, bundleIds.slice(0, 2))
    const many = await fewestQueriesFor(as, bundleIds)
    const ofOne = (many - few) / (bundleIds.length - 2)
    expect(ofOne).toBe(2)
    expect(few).toBeLessThan(10)
  },
)
