import { isProduction, LIMITS } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import type { Stamp } from '../base/stamp.ts'
import { reaches } from '../people/reach.ts'
import type { CallSubject, TouchFacts } from '../people/touch-facts.ts'
import {
  type AllPolicies,
  keptOf,
  keyAt,
  keyPlace,
  loosened,
  NO_RULES,
  type PolicySetting,
  type ProductionFacts,
  policiesFor,
  strictestTouch,
  UNNAMED,
} from './policy.ts'

/*
 * The server compares who gets which secrets, under which rules, before a change and after it. An act lasts if programs
 * or limited members gain something, a secret becomes public, or a rule loosens. A secret that leaves a rule does not
 * wait, because that can be urgent; where people sign, it keeps the rule.
 */

/** What one workspace gives, and to whom. All but the rules by their ids. */
export type Standing = {
  rules: AllPolicies
  bundles: ReadonlyMap<string, ProductionFacts>
  keys: ReadonlyMap<string, StandingKey>
  getters: ReadonlyMap<string, Getter>
}

type StandingKey = { id: string; name: string; isSecret: boolean; bundleIds: readonly string[] }

/** A program or a person. `patterns`: what a member is limited to. `gets`: ids of bundles; null: all. `is`: what
 * identifies it under any name: a program's proofs. */
export type Getter = {
  name: string
  is: readonly string[]
  patterns: readonly string[]
  gets: ReadonlySet<string> | null
}

/** `gains`: sentences for people, sorted. `gainers`: what makes those who gain the ones they are. `leaving`: secrets
 * that come under fewer rules, with those that they had; `kept`: null where nobody signs, or the value is public. */
export type Effects = {
  gains: readonly string[]
  gainers: readonly string[]
  leaving: readonly { id: string; kept: PolicySetting | null }[]
}

/** The bundles and keys that a transaction wrote. Only their keys are compared. `madeIds`: of its new keys. */
export type TouchedIds = Readonly<Record<'bundleIds' | 'keyIds' | 'madeIds', ReadonlySet<string>>>

export const NOTHING: TouchedIds = { bundleIds: new Set(), keyIds: new Set(), madeIds: new Set() }

/** How a call runs. `same`: it was judged by these facts, which its transaction reads again. Without a signature, only
 * that no rule asks for one has to be the same. */
export type Watched = {
  stamp: Stamp
  same: { about: CallSubject; facts: TouchFacts; isSigned: boolean } | null
}

/** `judge`: sees what the transaction did to what it touches, and undoes it if it throws. */
type Judged = { touched: TouchedIds; judge: (effects: Effects) => void; isUndone?: boolean }

export interface WatchStore {
  /** What the call would touch; null: it failed, or it writes nothing. It is undone. */
  touched(watched: Watched, call: () => Promise<unknown>): Promise<TouchedIds | null>
  /** @param ends waiting acts that this call ends; it fails if another call ended the first of them
   * @throws DomainError changed: the facts have changed · what `judge` and the call throw */
  run<T>(
    watched: Watched & { judged?: Judged | null; ends?: readonly string[] },
    call: () => Promise<T>,
  ): Promise<T>
}

/** @param copies for each key that got the values of others, the ids of those */
export function effectsOf(
  before: Standing,
  after: Standing,
  copies: ReadonlyMap<string, readonly string[]>,
): Effects {
  const moved = [...after.keys.values()].flatMap((key) => {
    const sources = [key.id, ...(copies.get(key.id) ?? [])].flatMap((id) => before.keys.get(id) ?? [])
    return sources.filter(({ isSecret }) => isSecret).map((source) => ({ key, source }))
  })
  const gainers = new Set<string>()
  const got = moved.flatMap(({ key, source }) => {
    const gaining = [...after.getters].filter(
      ([id, getter]) => getter.gets && gets(getter, key) && !gets(before.getters.get(id), source),
    )
    const known = key.isSecret ? [] : [`${source.name} is no secret any more`]
    for (const [id, { is }] of gaining) gainers.add([id, ...is].join(' '))
    return [...known, ...gaining.map(([, { name }]) => `${name} gets ${source.name}`)]
  })
  const reached = [...after.getters].flatMap(([id, { name, patterns, gets: now }]) => {
    const was = before.getters.get(id)
    if (now === null) return was?.gets ? [`${name} gets everything`] : []
    // A pattern that another one covers fits it, as a name does.
    const known = was?.gets === null ? null : { patterns: [...(was?.patterns ?? [])], since: '' }
    return patterns.filter((of) => !reaches(known, of)).map((of) => `${name} gets ${of}`)
  })
  const places = placesIn(after)
  const looser = [...placesIn(before)].flatMap(([at, was]) => {
    const is = places.get(at) ?? was
    const isLeft = isProduction(was.named) && !isProduction(is.named)
    const above = { workspace: at === '' ? NO_RULES : after.rules.workspace }
    const fields = [...loosened(was, is, above), ...(isLeft ? ['production'] : [])]
    const name = before.keys.get(keyAt(at) ?? '')?.name ?? (was.named.name || 'the workspace')
    return fields.length === 0 ? [] : [`the rules of ${name} ask for less (${fields.join(', ')})`]
  })
  const [overBefore, overAfter] = [rulesOver(before), rulesOver(after)]
  return {
    gains: [...got, ...reached, ...looser].toSorted(),
    gainers: [...gainers].toSorted(),
    leaving: moved.flatMap(({ key, source }) => {
      if (!key.isSecret) return { id: key.id, kept: null }
      const was = overBefore(source)
      // A rule that got looser is no place that a secret left, so its place counts as it was.
      const kept = keptOf(was, [...overAfter(key), ...overBefore(key)], after.rules)
      const isSigned = strictestTouch([before.rules.workspace, ...was]) !== 'none'
      return kept ? { id: key.id, kept: isSigned ? kept : null } : []
    }),
  }
}

function gets(getter: Getter | undefined, { bundleIds }: StandingKey): boolean {
  if (getter === undefined) return false
  return getter.gets === null || bundleIds.some((id) => getter.gets?.has(id))
}

/** What each place sets, by the names of folders and the ids of bundles. */
function placesIn({ rules, bundles }: Standing) {
  const folders = [...rules.folders].map(
    ([name, set]) => [name, { set, named: { ...UNNAMED, name } }] as const,
  )
  const own = [...bundles].map(
    ([id, named]) => [id, { set: rules.bundles.get(id) ?? NO_RULES, named }] as const,
  )
  const workspace = { set: rules.workspace, named: UNNAMED }
  return new Map<string, { set: PolicySetting; named: ProductionFacts }>([
    ['', workspace],
    ...folders,
    ...own,
  ])
}

function rulesOver({ rules, bundles }: Standing) {
  const known = new Map<string, readonly PolicySetting[]>()
  const over = (id: string) => {
    const found = known.get(id)
    if (found) return found
    const { folders, bundle } = policiesFor(rules, { id, name: bundles.get(id)?.name ?? '' })
    const sets = [...folders, bundle]
    known.set(id, sets)
    return sets
  }
  return ({ id, bundleIds }: StandingKey) => [
    rules.folders.get(keyPlace(id)) ?? NO_RULES,
    ...bundleIds.flatMap(over),
  ]
}

/** What is signed is short enough to be read, and kept rules are few enough to be stored.
 * @throws DomainError conflict */
export function requireFew({ gains, leaving }: Effects): void {
  if (gains.length + leaving.length > LIMITS.signedValues)
    throw new DomainError(
      'conflict',
      `this changes who gets more than ${LIMITS.signedValues} values: do it in smaller batches`,
    )
}

/** What a terminal stores waits for nobody, so it gives nothing that lasts. The terminal does not learn who would gain.
 * @throws DomainError conflict */
export function requireNoGain({ gains }: Effects): void {
  if (gains.length > 0)
    throw new DomainError('conflict', 'others get more after this, which has to wait: do it in the library')
}
