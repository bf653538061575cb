import { LIMITS } from '@keyferry/contract/limits'
import { applicationOf, compareEnvironments, environmentOf, siblingsOf } from '@keyferry/contract/siblings'
import { useSearchParams } from 'wouter'
import type { Bundle } from '../../lib/calls/answers.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { X } from '../../ui/icons.ts'

/** The bundles that the address names, in its order, and what changes them. Names that no bundle has are left out. */
export function useComparedBundles(bundles: readonly Bundle[]) {
  const [params, setParams] = useSearchParams()
  const byName = new Map(bundles.map((bundle) => [bundle.name, bundle]))
  const of = params.get('siblings')
  const named = [...new Set(params.getAll('bundle'))].flatMap((name) => byName.get(name) ?? [])
  const chosen = of === null ? named : siblingsOf(of, bundles).slice(0, LIMITS.comparedBundles)
  const set = (names: readonly string[]) =>
    setParams(
      (before) => {
        const others = [...before].filter(([field]) => field !== 'bundle' && field !== 'siblings')
        return new URLSearchParams([...others, ...names.map((name) => ['bundle', name])])
      },
      { replace: true },
    )
  const names = chosen.map(({ name }) => name)
  return {
    chosen,
    add: (name: string) => set([...names, name]),
    remove: (name: string) => set(names.filter((other) => other !== name)),
  }
}

type ComparedBundlesProps = { bundles: readonly Bundle[]; compared: ReturnType<typeof useComparedBundles> }

/** The bundles beside one another, each with a way to take it out, and a field that adds another. */
export function BundleChoice({ bundles, compared: { chosen, add, remove } }: ComparedBundlesProps) {
  const free = bundles.filter((bundle) => !chosen.includes(bundle))
  return (
    <div className="mb-5 space-y-3">
      <ul
        aria-label="Compared bundles"
        className="flex max-h-44 flex-wrap gap-2 overflow-y-auto p-0.5 empty:hidden"
      >
        {chosen.map(({ id, name }) => (
          <li
            key={id}
            className="inline-flex min-h-8 items-center gap-1 rounded-md border border-line bg-surface pl-3 font-mono text-sm"
          >
            <EntryName name={name} className="min-w-0" />
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => remove(name)}
              className="inline-flex size-8 items-center justify-center rounded-md text-ink-soft -outline-offset-2 hover:bg-sunken"
            >
              <X aria-hidden size={15} />
            </button>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-end gap-3">
        {chosen.length < LIMITS.comparedBundles ? (
          <div className="w-full max-w-read">
            <Combobox
              label="Add a bundle"
              placeholder="Search bundles"
              options={free}
              chosenId={null}
              onChoose={(id) => add(free.find((bundle) => bundle.id === id)?.name ?? '')}
            />
          </div>
        ) : (
          <p className="text-sm text-ink-soft">You can compare up to {LIMITS.comparedBundles} bundles.</p>
        )}
      </div>
    </div>
  )
}

/** The applications that have several environments: a choice of all of them at once. */
export function Applications({ bundles }: { bundles: readonly Bundle[] }) {
  const groups = Map.groupBy(
    bundles.filter(({ name }) => environmentOf(name) !== ''),
    ({ name }) => applicationOf(name),
  )
  const several = [...groups].filter(([, environments]) => environments.length > 1)
  return (
    <ul aria-label="Applications" className="mt-4 flex flex-wrap gap-2 empty:hidden">
      {several.map(([application, environments]) => (
        <li key={application}>
          <ButtonLink
            href={`/compare?siblings=${encodeURIComponent(environments[0]?.name ?? '')}`}
            label={`${application}: ${environments
              .map(({ name }) => environmentOf(name))
              .toSorted(compareEnvironments)
              .join(', ')}`}
          />
        </li>
      ))}
    </ul>
  )
}
