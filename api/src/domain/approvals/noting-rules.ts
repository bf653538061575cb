import { isDeepStrictEqual } from 'node:util'
import type { PolicyReads } from './policy.ts'

// A database gives rows in any order, and so the names of a row.
function sorted(read: unknown): unknown {
  return Array.isArray(read) ? read.map(textOf).toSorted() : read
}

function textOf(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) =>
    Array.isArray(value) ? value.map((each) => JSON.stringify(each)).toSorted() : value,
  )
}

/** The same store, which notes what an approval is judged by, and reads each of it once.
 * @returns `areSame`: whether the rules are still what was read, as another reader sees them */
export function notingRules<Store extends PolicyReads>(
  policies: Store,
): { policies: Store; areSame: (now: PolicyReads) => Promise<boolean> } {
  const all: { read: (from: PolicyReads) => Promise<unknown>; was: Promise<unknown> }[] = []
  const note = <Rules>(read: (from: PolicyReads) => Promise<Rules>): Promise<Rules> => {
    const was = read(policies)
    all.push({ read, was })
    return was
  }
  const once = <Rules>(read: (from: PolicyReads, tenantId: string, bundleId: string) => Promise<Rules>) => {
    const known = new Map<string, Promise<Rules>>()
    return (tenantId: string, bundleId: string): Promise<Rules> => {
      const key = `${tenantId} ${bundleId}`
      const rules = known.get(key) ?? note((from) => read(from, tenantId, bundleId))
      known.set(key, rules)
      return rules
    }
  }
  const noting: PolicyReads = {
    find: once((from, tenantId, bundleId) => from.find(tenantId, bundleId)),
    findAll: (tenantId) => note((from) => from.findAll(tenantId)),
    ofSharedValues: (tenantId, bundleId, names) =>
      note((from) => from.ofSharedValues(tenantId, bundleId, names)),
  }
  return {
    policies: { ...policies, ...noting },
    async areSame(now) {
      const same = all.map(async ({ read, was }) =>
        isDeepStrictEqual(sorted(await read(now)), sorted(await was)),
      )
      return (await Promise.all(same)).every((is) => is)
    },
  }
}
