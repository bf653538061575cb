import type { Bundle, Key } from '../../lib/calls/answers.ts'
import type { Called } from '../../lib/calls/call.ts'
import { applicationHref, PLACES } from '../../lib/page/places.ts'
import { matches, rank } from '../../lib/page/search.ts'
import { variableOf } from '../../lib/rules/variables.ts'

/** What the palette finds: an address to open, or something that it does at once. */
export type Destination = {
  id: string
  kind: 'Page' | 'Action' | 'Bundle' | 'Variable'
  name: string
  /** The other workspace that it is in. */
  workspace?: { id: string; name: string }
} & ({ href: string } | { run: () => void })

/** What one workspace contains. */
export type SearchSources = {
  bundles: readonly Bundle[]
  keys: readonly Key[]
  workspace?: { id: string; name: string }
}

const MOST = 50

/** The same for the same destination. */
export const keyOf = ({ kind, id, workspace }: Destination): string => [kind, workspace?.id, id].join(' ')

type Sources = {
  own: SearchSources
  elsewhere: readonly SearchSources[]
  /** What happens at once: another workspace. */
  actions: readonly Destination[]
  /** What the person opened from here, the last first. */
  recent: readonly string[]
  may: (operation: Called) => boolean
}

/** What answers a query, best first: exact names, then beginnings of names, then beginnings of their parts. Among
 * equals what the person opened last comes first, then pages, this workspace and the others. At most 50. */
export function findDestinations(
  query: string,
  { own, elsewhere, actions, recent, may }: Sources,
): Destination[] {
  const ranked: [Destination[], Destination[], Destination[], Destination[]] = [[], [], [], []]
  const add = (found: Iterable<Destination>) => {
    for (const destination of found)
      if (matches(destination.name, query)) ranked[rank(destination.name, query)].push(destination)
  }
  add(
    PLACES.filter(({ needs }) => needs === undefined || may(needs)).map(({ href, name, isAction }) => ({
      id: href,
      kind: isAction ? 'Action' : 'Page',
      name,
      href,
    })),
  )
  add(actions)
  for (const found of [own, ...elsewhere]) add(namesOf(found))
  const verb = query.trim().toLowerCase().split(' ', 1)[0] ?? ''
  if (verb.length > 1) add(changesOf(own, verb))
  const age = (destination: Destination) => recent.indexOf(keyOf(destination)) + 1 || recent.length + 1
  return ranked.flatMap((equals) => equals.toSorted((a, b) => age(a) - age(b))).slice(0, MOST)
}

function* namesOf({ bundles, keys, ...where }: SearchSources): Generator<Destination> {
  for (const { id, name } of bundles)
    yield { id, kind: 'Bundle', name, href: applicationHref(name), ...where }
  for (const key of keys)
    for (const { name, query } of variablesOf(key))
      yield { id: key.id + query, kind: 'Variable', name, href: `/keys/${key.id}${query}`, ...where }
}

/** Actions on one bundle or variable; only for a query that begins with their verb. */
function* changesOf({ bundles, keys }: SearchSources, verb: string): Generator<Destination> {
  if ('add'.startsWith(verb))
    for (const bundle of bundles.filter(({ may_edit }) => may_edit))
      yield {
        ...action(`Add variable to ${bundle.name}`),
        href: `${applicationHref(bundle.name)}?add=variable`,
      }
  if ('rotate'.startsWith(verb))
    for (const key of keys.filter(({ may_change }) => may_change))
      for (const { name, query } of variablesOf(key))
        yield { ...action(`Rotate ${name}`), href: `/keys/${key.id}/change${query}` }
}

/** An action without what it does. */
export const action = (name: string) => ({ id: name, kind: 'Action', name }) as const

/** The names under which bundles deliver a key. */
function variablesOf(key: Key): { name: string; query: string }[] {
  const { bundles = [] } = key
  if (bundles.length === 0) return [{ name: variableOf(key), query: '' }]
  return bundles.map(({ id, name, as }) => ({ name: `${as} in ${name}`, query: `?bundle=${id}` }))
}
