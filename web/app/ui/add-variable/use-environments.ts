import { LIMITS } from '@keyferry/contract/limits'
import { useState } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useCanEdit } from '../../lib/data/me.ts'
import { siblingsOf } from '../../lib/rules/siblings.ts'

export type Named = { id: string; name: string }

/** The bundles that a variable of one bundle may also be for: the environments of its application, and those that the
 * person adds, which this browser remembers. `free`: those that can still be added. */
export function useEnvironments(bundle: Named, among: readonly Named[]) {
  const canEdit = useCanEdit()
  const mine = (useAnswer('listBundles', {}).data ?? []).filter(canEdit)
  const [added, setAdded] = useState(() => remembered(bundle.id))
  const named = [bundle, ...among, ...siblingsOf(bundle.name, mine)]
  const ids = new Set([...named.map(({ id }) => id), ...added])
  const chosen: Bundle[] = mine.filter(({ id }) => ids.has(id)).slice(0, LIMITS.comparedBundles)
  const add = (id: string) => {
    setAdded([...added, id])
    remember(bundle.id, [...added, id])
  }
  return {
    environments: chosen.length === 0 ? [bundle] : chosen,
    free: mine.filter(({ id }) => !ids.has(id)),
    add,
  }
}

const STORED = 'keyferry.environments.'

function remembered(bundleId: string): readonly string[] {
  try {
    return (localStorage.getItem(STORED + bundleId) ?? '').split(' ').filter(Boolean)
  } catch {
    return []
  }
}

function remember(bundleId: string, ids: readonly string[]): void {
  try {
    localStorage.setItem(STORED + bundleId, ids.join(' '))
  } catch {
    // A browser that keeps nothing asks again.
  }
}

/** Which bundles deliver a name: among `environments`, and the others whose key has that name in the library. */
export function useHaving(name: string, environments: readonly Named[]) {
  const ids = environments.map(({ id }) => id)
  const several = ids.length >= 2
  const compared = useAnswer('compareBundles', { bundle_id: ids }, { enabled: several }).data
  const single = useAnswer('getBundle', { bundle_id: ids[0] ?? '' }, { enabled: !several }).data
  const key = useAnswer('listKeys', {}).data?.find((each) => each.name === name && each.may_show)
  const using = useAnswer('getKey', { key_id: key?.id ?? '' }, { enabled: key !== undefined }).data
  const row = compared?.rows.find((each) => each.name === name)
  const here = environments.filter(({ id }) =>
    several
      ? row?.cells.some(({ bundle_id, state }) => bundle_id === id && state !== 'missing')
      : single?.items.some((item) => item.name === name),
  )
  const elsewhere = using?.bundles.filter(({ id, as }) => as === name && !ids.includes(id)) ?? []
  return {
    here: new Set(here.map((bundle) => bundle.name)),
    elsewhere: elsewhere.map((bundle) => bundle.name),
  }
}
