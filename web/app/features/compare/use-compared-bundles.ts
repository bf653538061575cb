import { useSearchParams } from 'wouter'
import type { Bundle } from '../../lib/calls/answers.ts'

/** The bundles that the address names, in its order, and what changes them. Names that no bundle has are left out. */
export function useComparedBundles(bundles: readonly Bundle[]) {
  const [params, setParams] = useSearchParams()
  const byName = new Map(bundles.map((bundle) => [bundle.name, bundle]))
  const chosen = [...new Set(params.getAll('bundle'))].flatMap((name) => byName.get(name) ?? [])
  const set = (names: readonly string[]) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete('bundle')
        for (const name of names) next.append('bundle', name)
        return next
      },
      { replace: true },
    )
  const names = chosen.map(({ name }) => name)
  return {
    chosen,
    add: (name: string) => set([...names, name]),
    addAll: (more: readonly string[]) => set([...names, ...more]),
    remove: (name: string) => set(names.filter((other) => other !== name)),
  }
}
