import { groupBy } from './group-by.ts'
import { isProduction } from './production.ts'

/** What an environment belongs to: `storefront` for `dev/storefront`. */
export function applicationOf(bundleName: string): string {
  return bundleName.slice(bundleName.lastIndexOf('/') + 1)
}

/** Which environment of its application a bundle is: `dev` for `dev/storefront`. Empty for a name without folders. */
export function environmentOf(bundleName: string): string {
  return bundleName.slice(0, Math.max(0, bundleName.lastIndexOf('/')))
}

/** Whether two bundles are environments of one application: their names end with the same part. */
export function areSiblings(name: string, other: string): boolean {
  return [name, other].every(environmentOf) && applicationOf(name) === applicationOf(other)
}

const KINDS = ['dev', 'staging', 'prod'] as const

/** What an environment is; null: of another kind. */
export type EnvironmentKind = (typeof KINDS)[number]

/** What a bundle or an environment is, by its name.
 * @param isForProduction what the server says of a bundle: it counts more than the name */
export function environmentKind(
  name: string,
  isForProduction = isProduction({ name, tags: '', production: 'by_name' }),
): EnvironmentKind | null {
  if (isForProduction) return 'prod'
  const [first = ''] = name.split(/[/_-]/)
  if (/^(dev|development|local)\d*$/i.test(first)) return 'dev'
  return /^(stage|staging)\d*$/i.test(first) ? 'staging' : null
}

/** The one order of environments: dev, staging, prod, then the others, each by name. */
export function compareEnvironments(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || compareNames(a, b)
}

/** The order of bundle names: without case, and `stage-2` before `stage-10`. `localeCompare` loads its tables first,
 * which takes a browser 9 ms. */
export function compareNames(a: string, b: string): number {
  const [one, other] = [orderedText(a), orderedText(b)]
  return one === other ? 0 : one < other ? -1 : 1
}

// Each number gets 17 digits, as many as a date with milliseconds has.
const orderedText = (name: string) => name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(17, '0'))

function rankOf(environment: string): number {
  const kind = environmentKind(environment)
  return kind === null ? KINDS.length : KINDS.indexOf(kind)
}

/** The environments of an application with this one among them, in their order. */
export function siblingsOf<Bundle extends { name: string }>(
  name: string,
  bundles: readonly Bundle[],
): Bundle[] {
  return bundles
    .filter((bundle) => bundle.name === name || areSiblings(bundle.name, name))
    .toSorted((a, b) => compareEnvironments(environmentOf(a.name), environmentOf(b.name)))
}

/** Bundles as applications × environments, each in its order. `cells`: null where an application lacks the environment.
 * `others`: the bundles whose names follow no environment. */
export type EnvironmentTable<Bundle> = {
  environments: readonly string[]
  applications: readonly { name: string; cells: readonly (Bundle | null)[] }[]
  others: readonly Bundle[]
}

/** An environment is a column if its name says what it is (dev, staging, prod), or if several applications have it
 * beside others. */
export function environmentTable<Bundle extends { name: string }>(
  bundles: readonly Bundle[],
): EnvironmentTable<Bundle> {
  const named = bundles.filter(({ name }) => environmentOf(name) !== '')
  const applications = groupBy(named, ({ name }) => applicationOf(name))
  const isBesideOthers = ({ name }: Bundle) => (applications.get(applicationOf(name)) ?? []).length > 1
  const environments = [...groupBy(named, ({ name }) => environmentOf(name))]
    .filter(([name, own]) => environmentKind(name) !== null || own.filter(isBesideOthers).length > 1)
    .map(([name]) => name)
    .toSorted(compareEnvironments)
  const rows = [...applications].map(([name, own]) => {
    const cells = environments.map(
      (environment) => own.find((bundle) => environmentOf(bundle.name) === environment) ?? null,
    )
    return { name, cells }
  })
  return {
    environments,
    applications: rows.filter(({ cells }) => cells.some((cell) => cell !== null)).toSorted(byName),
    others: bundles.filter(({ name }) => !environments.includes(environmentOf(name))).toSorted(byName),
  }
}

const byName = (a: { name: string }, b: { name: string }) => compareNames(a.name, b.name)
