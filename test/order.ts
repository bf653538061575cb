import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

// The slowest first. Vitest would begin with the longest sources, and wait for one of these at the end.
const FIRST = [
  'e2e/every-page',
  'e2e/app-words/deposits',
  'e2e/app-words/library',
  'e2e/app-words/requests',
  'release/reproducible',
  'e2e/fresh-clone',
  'server/test/root-key-moves',
  'e2e/rolling',
  'e2e/engines',
  'server/test/maintain',
  'api/test/audit-retention',
  'api/test/tenant-key-rotation',
  'e2e/several-nodes',
  'e2e/documented-commands',
  'api/test/small-heap',
]

/** The order in which the test files begin. */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- it is of the class, not of an array
    const sorted = await super.sort(files)
    const ranked = sorted.map((file) => ({ file, rank: rankOf(file) }))
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ file }) => file)
  }
}

const DOCUMENT = '// @vitest-environment'

// These are last. A worker has one environment. Where a file needs another one, the worker ends, and its browser and
// its PostgreSQL with it.
function rankOf({ moduleId }: TestSpecification): number {
  if (readFileSync(moduleId, 'utf8').startsWith(DOCUMENT)) return FIRST.length + 1
  const rank = FIRST.indexOf(relative('.', moduleId).replace(/\.test\.ts$/, ''))
  return rank === -1 ? FIRST.length : rank
}
