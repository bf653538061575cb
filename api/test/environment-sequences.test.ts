import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type Identity, startTestApi, type TestApi } from './api.ts'

const BUNDLES = ['dev/app', 'prod/app', 'staging/app'] as const
const NAMES = ['A', 'B', 'C', 'D'] as const

type Step = {
  do: 'attach' | 'rename' | 'split' | 'set here' | 'detach'
  bundle: number
  key: number
  name: number
}

const steps = fc.array(
  fc.record({
    do: fc.constantFrom<Step['do']>('attach', 'attach', 'rename', 'split', 'set here', 'detach'),
    bundle: fc.nat(BUNDLES.length - 1),
    key: fc.nat(7),
    name: fc.nat(NAMES.length - 1),
  }),
  { minLength: 6, maxLength: 25 },
)

type Library = { owner: Identity; bundles: string[] }
type Delivered = Record<string, string>

describe.each(databases)('any changes of environments on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
  })
  afterAll(() => api.close())

  async function newLibrary(): Promise<Library> {
    const owner = await api.newOwner()
    const bundles = []
    for (const name of BUNDLES) {
      bundles.push((await api.call('createBundle', { as: owner, body: { name } })).json.id)
    }
    for (const name of NAMES)
      await api.call('createKey', { as: owner, body: { name, value: `value of ${name}` } })
    return { owner, bundles }
  }

  const delivered = async ({ owner }: Library, bundle_id: string): Promise<Delivered> => {
    const query = { format: 'json', reveal: '1' }
    const { json } = await api.call('exportBundle', { as: owner, params: { bundle_id }, query })
    return json as Delivered
  }
  const itemsOf = async ({ owner }: Library, bundle_id: string) =>
    (await api.call('getBundle', { as: owner, params: { bundle_id } })).json.items

  async function take(library: Library, step: Step, value: string): Promise<number> {
    const { owner: as, bundles } = library
    const bundle_id = bundles[step.bundle] ?? ''
    const keys = (await api.call('listKeys', { as })).json
    const params = { bundle_id, key_id: keys[step.key % keys.length]?.id ?? '' }
    const body = { as: NAMES[step.name] }
    if (step.do === 'attach') return (await api.call('attachKey', { as, params, body })).status
    if (step.do === 'rename') return (await api.call('changeAttachment', { as, params, body })).status
    if (step.do === 'detach') return (await api.call('detachKey', { as, params })).status
    const draft = step.do === 'split' ? {} : { value }
    return (await api.call('splitKey', { as, params, body: draft })).status
  }

  async function expectOrder(library: Library): Promise<void> {
    for (const bundle of library.bundles) {
      const items = await itemsOf(library, bundle)
      expect(new Set(items.map(({ name }) => name)).size).toBe(items.length)
      expect(items.map(({ order }) => order)).toEqual(items.map((_, index) => index))
    }
  }

  test('keep names unique, positions dense, and each value that is not named', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const library = await newLibrary()
        for (const step of sequence) {
          const before = await Promise.all(library.bundles.map((bundle) => delivered(library, bundle)))
          const value = randomUUID()
          const status = await take(library, step, value)
          const after = await Promise.all(library.bundles.map((bundle) => delivered(library, bundle)))
          for (const [index, was] of before.entries()) {
            if (index !== step.bundle || status >= 400) expect(after[index]).toEqual(was)
          }
          expectOneChange(step, { before: before[step.bundle], after: after[step.bundle], value, status })
        }
        await expectOrder(library)
      }),
      { numRuns: 6 },
    )
  })

  test('a change of a key changes two deliveries exactly where the comparison says "shared"', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const library = await newLibrary()
        const { owner: as } = library
        for (const step of sequence) await take(library, step, randomUUID())
        const query = library.bundles.map((id): [string, string] => ['bundle_id', id])
        const { rows } = (await api.call('compareBundles', { as, query })).json
        const keyIds = (await api.call('listKeys', { as })).json.map(({ id }) => id)
        for (const key_id of keyIds) {
          const value = randomUUID()
          await api.call('updateKey', { as, params: { key_id }, body: { value } })
          const after = await Promise.all(library.bundles.map((bundle) => delivered(library, bundle)))
          for (const { name, cells } of rows) {
            const changed = cells.filter((_, index) => after[index]?.[name] === value)
            expect(cells.filter((cell) => cell.key_id === key_id)).toEqual(changed)
            const state = changed.length > 1 ? 'shared' : 'own'
            expect(changed.map((cell) => cell.state)).toEqual(changed.map(() => state))
          }
        }
      }),
      { numRuns: 6 },
    )
  })
})

type Outcome = { before: Delivered | undefined; after: Delivered | undefined; value: string; status: number }

function values(delivery: Delivered = {}): string[] {
  return Object.values(delivery).toSorted((a, b) => (a < b ? -1 : 1))
}

function expectOneChange({ do: kind }: Step, { before, after, value, status }: Outcome): void {
  if (status >= 400) return
  if (kind === 'split') expect(after).toEqual(before)
  if (kind === 'rename') expect(values(after)).toEqual(values(before))
  const kept = Object.entries(after ?? {}).filter(([name, now]) => before?.[name] === now)
  const count = Object.keys(before ?? {}).length
  if (kind === 'attach') expect(kept).toHaveLength(count)
  if (kind === 'detach') expect(kept).toHaveLength(count - 1)
  if (kind !== 'set here') return
  expect(kept).toHaveLength(count - 1)
  expect(Object.values(after ?? {})).toContain(value)
}
