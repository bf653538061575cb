import type { BundleMarks as MarksSchema } from '@keyferry/contract'
import type { z } from 'zod'
import type { Caller } from '../people/membership.ts'
import type { SeenBundle } from './bundle.ts'
import { type DueBy, dueBy } from './key-lifetime.ts'

export type BundleMarks = z.output<typeof MarksSchema>

export interface MarkStore {
  /** By the bundle's id; leaves out bundles without any mark. */
  marks(tenantId: string, bundleIds: readonly string[], due: DueBy): Promise<ReadonlyMap<string, BundleMarks>>
}

const NONE: BundleMarks = { expired: 0, due: 0, older: 0 }

/** A list of bundles, each with what needs a look in it. */
export async function* allMarked(
  store: MarkStore,
  { tenantId }: Caller,
  { chunks, now }: { chunks: AsyncIterable<readonly SeenBundle[]>; now: Date },
): AsyncGenerator<readonly (SeenBundle & { marks: BundleMarks })[]> {
  for await (const seen of chunks) {
    const ids = seen.map(({ id }) => id)
    const marks = await store.marks(tenantId, ids, dueBy(now))
    yield seen.map((bundle) => ({ ...bundle, marks: marks.get(bundle.id) ?? NONE }))
  }
}
