import { defineConfig } from 'vitest/config'
import { TestSummary } from './test-summary.ts'

const STORIES = ['e2e/**', 'server/test/**', 'cli/test/**', 'release/**']

const API = ['api/test/**', 'api/src/request-store/**']

// Several nodes share a PostgreSQL, or a library outgrows the heap.
const LARGE = [
  'changed-values',
  'database-away',
  'deposit-rescue',
  'four-sealers',
  'nodes',
  'small-heap',
  'webhook-nodes',
]

const OUTSIDE = ['**/node_modules/**', '**/dist/**']

/** What `--mode` selects. Without one, everything runs. */
const PARTS: Readonly<Record<string, { include: readonly string[]; exclude: readonly string[] }>> = {
  unit: { include: ['**'], exclude: [...STORIES, ...API] },
  api: { include: API, exclude: [] },
  e2e: { include: STORIES, exclude: [] },
  fast: {
    include: ['**'],
    exclude: [...STORIES, 'web/app-size.test.ts', ...LARGE.map((name) => `api/test/${name}.test.ts`)],
  },
}

export default defineConfig(({ mode }) => {
  const { include, exclude } = PARTS[mode] ?? { include: ['**'], exclude: [] }
  return {
    // The build of the app fills in where each endpoint is. Unit tests of the app call none.
    define: { ADDRESSES: '{}' },
    test: {
      include: include.map((folder) => `${folder}/*.test.ts`),
      exclude: [...OUTSIDE, ...exclude],
      env: mode === 'fast' ? { DATABASES: 'sqlite', APP: 'stale' } : {},
      globalSetup: ['test-folder.ts', 'e2e/built-app.ts'],
      setupFiles: ['property-runs.ts'],
      isolate: false,
      // Most tests wait for a server, a browser or a shell. Vitest would use one worker on a machine with two cores.
      maxWorkers: mode === 'fast' ? 4 : 3,
      // On a shared machine a browser may be late once. The output names what was tried again.
      retry: process.env['CI'] === undefined ? 0 : 1,
      testTimeout: 60_000,
      hookTimeout: 120_000,
      // Below the limit of a test, so that a failure names what was waited for.
      expect: { poll: { interval: 25, timeout: 45_000 } },
      reporters: ['default', new TestSummary(Number(process.env['SLOWEST'] ?? 0))],
    },
  }
})
