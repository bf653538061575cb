import type { Getter } from '../../domain/approvals/effects.ts'
import type { Slice } from '../../domain/base/listing.ts'
import type { TouchFact } from '../../domain/people/touch-facts.ts'
import type { Query } from '../base/queries.ts'
import * as modules from './modules.ts'

/** Programs get values without an approval. An optional module knows them. */
type Programs = {
  /** Their name in the facts that a person signs. */
  noun: string
  /** Those that get values now, by id. */
  getters: (query: Query, tenantId: string) => Promise<(readonly [string, Getter])[]>
  /** Whether any program may get the values of a bundle. */
  mayGet: (query: Query, tenantId: string, bundleId: string) => Promise<boolean>
  facts: (query: Query, tenantId: string, wanted: WantedPrograms) => Promise<ProgramFact[]>
  /** By id; deleted ones are missing. */
  named: (query: Query, ids: readonly string[]) => Promise<ProgramName[]>
  /** By name. */
  list: (query: Query, tenantId: string, slice: Slice) => Promise<ProgramName[]>
}

type ProgramName = { id: string; name: string }

/** `gettingFrom`: also those that get values from these bundles, or from any if the list is empty. */
type WantedPrograms = { ids: readonly string[]; gettingFrom: readonly string[] | null }

/** `bundles`: that it reads. `reads_audit`: of the whole workspace. */
type ProgramFact = TouchFact & { bundles: readonly string[]; reads_audit: boolean }

const NONE: Programs = {
  noun: 'programs',
  getters: async () => [],
  mayGet: async () => false,
  facts: async () => [],
  named: async () => [],
  list: async () => [],
}

export const programs: Programs = Object.values<Programs>(modules)[0] ?? NONE

export type ProgramsShown = Awaited<ReturnType<typeof programsShown>>

/** How answers show the programs of these ids. */
export async function programsShown(query: Query, ids: readonly (string | null)[]) {
  const wanted = new Set(ids.flatMap((id) => id ?? []))
  const rows = wanted.size === 0 ? [] : await programs.named(query, [...wanted])
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return (id: string) => ({ kind: 'machine' as const, id, name: names.get(id) ?? null })
}
