import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

const BUNDLES = ['dev/app', 'staging/app', 'prod/app', 'other']
const NAMES = ['A', 'B', 'C', 'D', 'E', 'PROD_APP_A']

type Import = {
  bundle: string
  values: Record<string, string>
  own: string[]
  replace: string[]
  detach: string[]
  isRenamed: boolean
}

const imports = fc.array(
  fc.record<Import>({
    bundle: fc.constantFrom(...BUNDLES),
    values: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom('1', '2', '3'), { minKeys: 1 }),
    own: fc.subarray(NAMES, { maxLength: 2 }),
    replace: fc.subarray(NAMES, { maxLength: 2 }),
    detach: fc.subarray(NAMES, { maxLength: 2 }),
    isRenamed: fc.boolean(),
  }),
  { minLength: 3, maxLength: 8 },
)

describe.each(oneDatabase)('random imports on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind, { devAllowPlaintext: true })
  })
  afterAll(() => api.close())

  async function deliveries(as: Identity): Promise<Map<string, Record<string, string>>> {
    const { json: bundles } = await api.call('listBundles', { as })
    const query = { format: 'json', reveal: '1' }
    const found = await Promise.all(
      bundles.map(async ({ id, name }) => {
        const { json } = await api.call('exportBundle', { as, params: { bundle_id: id }, query })
        return [name, json as Record<string, string>] as const
      }),
    )
    return new Map(found)
  }

  async function expectWhole(as: Identity): Promise<void> {
    const { json: bundles } = await api.call('listBundles', { as })
    for (const { id } of bundles) {
      const { json } = await api.call('listBundleKeys', { as, params: { bundle_id: id } })
      expect(json.map(({ order }) => order)).toEqual(json.map((_, index) => index))
      expect(new Set(json.map(({ name }) => name)).size).toBe(json.length)
    }
  }

  async function rename(as: Identity, bundle: string): Promise<void> {
    const { json } = await api.call('listBundles', { as, query: { query: bundle } })
    const params = { bundle_id: json.find(({ name }) => name === bundle)?.id ?? '' }
    const [first] = (await api.call('listBundleKeys', { as, params })).json
    if (first === undefined) return
    const place = { ...params, key_id: first.id }
    await api.call('changeAttachment', {
      as,
      params: place,
      body: { as: `RENAMED_${first.name}`.slice(0, 40) },
    })
  }

  async function importAndCompare(
    as: Identity,
    { bundle, values, own, replace, detach }: Import,
  ): Promise<void> {
    const given = (names: readonly string[]) => names.filter((name) => name in values)
    const before = await deliveries(as)
    const removed = detach.filter((name) => name in (before.get(bundle) ?? {}) && !(name in values))
    const body = {
      bundle,
      detach: removed,
      entries: Object.entries(values).map(([name, value]) => ({ name, value })),
      own: given(own),
      replace: given(replace).filter((name) => !own.includes(name)),
    }
    const answer = await api.call('importVariables', { as, body })
    const after = await deliveries(as)
    if (answer.status !== 200) {
      // Only a key that several bundles deliver under one name cannot be replaced without a choice.
      expect(answer.failure?.error).toMatch(/^several keys are delivered under this name/)
      expect(after).toEqual(before)
      return
    }
    const left = Object.entries(before.get(bundle) ?? {}).filter(([name]) => !removed.includes(name))
    expect(after.get(bundle)).toEqual({ ...Object.fromEntries(left), ...values })
    const replaced = answer.json.plan.filter(({ action }) => action === 'replace')
    for (const { name } of replaced) expect(body.replace).toContain(name)
    if (replaced.length === 0) {
      for (const [other, delivered] of before)
        if (other !== bundle) expect(after.get(other)).toEqual(delivered)
    }
    const again = await api.call('importVariables', { as, body: { ...body, replace: [], detach: [] } })
    expect(new Set(again.json.plan.map(({ action }) => action))).toEqual(new Set(['same']))
  }

  test('deliver the file, keep names unique and positions dense, and change no other bundle', async () => {
    await fc.assert(
      fc.asyncProperty(imports, async (sequence) => {
        const as = await api.newOwner()
        for (const each of sequence) {
          await importAndCompare(as, each)
          if (each.isRenamed) await rename(as, each.bundle)
          await expectWhole(as)
        }
      }),
      { numRuns: 15 },
    )
  })
})
