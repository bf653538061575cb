import { LIMITS } from '@keyferry/contract/limits'
import { compareEnvironments, environmentOf, siblingsOf } from '@keyferry/contract/siblings'
import { useState } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useLibrary } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { keepText, keptText } from '../../lib/page/kept.ts'

export type EnvironmentName = { id: string; name: string }

/** The bundles that a variable of one bundle may also be for: the environments of its application, and those that the
 * person adds, which this browser remembers. `free`: those that can still be added. */
export function useEnvironments(bundle: EnvironmentName, among: readonly EnvironmentName[]) {
  const mine = (useAnswer('listBundles', {}).data ?? []).filter(({ may_edit }) => may_edit)
  const [added, setAdded] = useState(() => (keptText(STORED + bundle.id) ?? '').split(' ').filter(Boolean))
  const named = [bundle, ...among, ...siblingsOf(bundle.name, mine)]
  const ids = new Set([...named.map(({ id }) => id), ...added])
  const chosen: Bundle[] = mine
    .filter(({ id }) => ids.has(id))
    .toSorted((a, b) => compareEnvironments(environmentOf(a.name), environmentOf(b.name)))
    .slice(0, LIMITS.comparedBundles)
  const add = (id: string) => {
    setAdded([...added, id])
    keepText(STORED + bundle.id, [...added, id].join(' '))
  }
  return {
    environments: chosen.length === 0 ? [bundle] : chosen,
    free: mine.filter(({ id }) => !ids.has(id)),
    add,
  }
}

const STORED = 'keyferry.environments.'

/** The bundles that deliver a name: among `environments`, and others whose key the person may put into them. `fixed`:
 * those whose value the person may not replace. */
export function useHaving(name: string, environments: readonly EnvironmentName[]) {
  const may = useMay()
  const delivering = (useLibrary().data ?? []).flatMap(({ bundles = [], may_show, may_change }) => {
    const isFixed = !may_change || (bundles.length > 1 && !may('splitKey'))
    return bundles.filter(({ as }) => as === name).map((bundle) => ({ ...bundle, may_show, isFixed }))
  })
  const isHere = ({ id }: EnvironmentName) => environments.some((each) => each.id === id)
  const elsewhere = delivering.filter((bundle) => bundle.may_show && !isHere(bundle))
  const namesOf = (bundles: readonly EnvironmentName[]) => bundles.map((bundle) => bundle.name).toSorted()
  const here = new Set(namesOf(delivering.filter(isHere)))
  const fixed = new Set(namesOf(delivering.filter(({ isFixed }) => isFixed)))
  return { here, elsewhere: namesOf(elsewhere), fixed }
}
