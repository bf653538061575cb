import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { hasProgramsOf, TOOLS } from './plumbing/test/programs.ts'
import { PATIENCE_MS } from './plumbing/test/until.ts'
import { TestOrder } from './test/order.ts'
import { TestSummary } from './test/summary.ts'
import { iconModules } from './web/app/icon-modules.ts'

const HANGS_MS = 10 * 60_000

const STORIES = ['e2e/**/*.test.ts', 'server/test/*.test.ts', 'cli/test/*.test.ts', 'release/*.test.ts']

const API = ['api/test/*.test.ts', 'api/src/request-store/*.test.ts']

// What `--mode fast` leaves out, besides the stories.
const SLOW = [
  // Several nodes share a PostgreSQL, a library outgrows the heap, processes migrate, or a suite runs once more.
  'api/test/{changed-values,database-unavailable,deposit-rescue,four-chain-writers,nodes,webhook-nodes}.test.ts',
  'api/test/{maintenance,renamed-attachments,small-heap}.test.ts',
  // Real shells and programs read what the formats write.
  'contract/src/env/{dangerous-programs,formats}.test.ts',
  'contract/src/env/formats/{dotenv-readers,interface-text}.test.ts',
  'web/server/client-files/install-script.test.ts',
  'release/install-server.test.ts',
  // It opens a terminal.
  'cli/src/terminal/streams.test.ts',
  // They look at the built app.
  'web/app-size.test.ts',
]

/** Long ones, faults that are done for some time, examples of the documents, one that needs the registry, and one that
 * starts and stops test runs: `npm run faults -- trials` runs them. */
const TRIALS = [
  'api/test/{renamed-attachments,small-heap}.test.ts',
  'cli/test/examples.test.ts',
  'e2e/{app-long-lists,counted-day,engines,engines-editor,every-button,first-load,move-library,server-executable,single-executable}.test.ts',
  'e2e/{ci-jobs,documented-commands,fresh-clone,own-machine,recipes,webhook-receivers}.test.ts',
  'e2e/install-powershell.test.ts',
  'e2e/manifests.test.ts',
  'e2e/openapi.test.ts',
  'e2e/{many-nodes,redis-failover,rolling,several-nodes,stopped-run}.test.ts',
  'e2e/{deposit,environments,import,release}-killed.test.ts',
  'e2e/faults/*.test.ts',
  'release/{release,reproducible}.test.ts',
]

// What a screen reader reads in each state of the pages: as long as a tenth of all other tests.
const WORDS = 'e2e/app-words/*.test.ts'

// With more engines, the accessibility rules in each state of a page, more records, and programs that are killed at many
// moments.
const PARTLY = ['e2e/{app-*,every-page,removed-module}.test.ts', 'server/test/root-key-moves.test.ts']

/** Files of tests that the trials repeat on PostgreSQL. */
const repeated = () =>
  globSync('api/test/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('oneDatabase'))

/** Files of which every test needs these programs or packages. Where one is missing, the file is skipped with a
 * message. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'crypto/src/age.test.ts': ['age', 'age-keygen'],
  'crypto/src/minisign.test.ts': ['minisign'],
  'release/signed-release.test.ts': ['minisign'],
  'web/server/client-files/install-script.test.ts': ['curl'],
  'web/server/client-files/signed-list.test.ts': ['curl', 'minisign', 'openssl'],
  'server/test/root-key-moves.test.ts': ['age', 'age-keygen'],
  'server/test/shipped-keepers.test.ts': ['age', 'pkcs11-tool', 'softhsm2-util', 'swtpm', 'tpm2_pcrextend'],
  'e2e/ci-doctor.test.ts': ['openssl'],
  'e2e/ci-jobs.test.ts': ['curl', 'jq', 'openssl'],
  'e2e/deploy-files.test.ts': ['openssl'],
  'e2e/engines.test.ts': ['openssl'],
  'e2e/hidden-prompt.test.ts': ['openssl'],
  'e2e/install-powershell.test.ts': [TOOLS],
  'e2e/manifests.test.ts': [TOOLS],
  'e2e/openapi.test.ts': [TOOLS],
  'e2e/server-executable.test.ts': ['curl'],
  'e2e/single-executable.test.ts': ['curl'],
  'e2e/watch-id-tokens.test.ts': ['openssl'],
}

const withoutPrograms = (excluded: readonly string[]) =>
  Object.keys(NEEDS).filter((file) => !excluded.includes(file) && !hasProgramsOf(file, NEEDS[file] ?? []))

const setting = (name: string) => Number(process.env[name] ?? 0)

const OUTSIDE = ['**/node_modules/**', '**/dist/**']

type Part = { include: readonly string[]; exclude: readonly string[]; env?: Readonly<Record<string, string>> }

const ALL = ['**/*.test.ts']

const EVERYTHING: Part = { include: ALL, exclude: [] }

/** What `--mode` selects; `test` runs without one, and any other word runs everything. */
const PARTS: Readonly<Record<string, Part>> = {
  test: { include: ALL, exclude: [...TRIALS, WORDS] },
  mutants: { include: ALL, exclude: TRIALS },
  unit: { include: ALL, exclude: [...STORIES, ...API] },
  api: { include: API, exclude: [] },
  e2e: { include: STORIES, exclude: [...TRIALS, WORDS] },
  fast: { include: ALL, exclude: [...STORIES, ...SLOW], env: { DATABASES: 'sqlite', APP: 'stale' } },
  trials: { include: [...TRIALS, WORDS, ...PARTLY, ...repeated()], exclude: [], env: { TRIALS: '1' } },
}

export default defineConfig(({ mode }) => {
  const part = PARTS[mode] ?? EVERYTHING
  return {
    plugins: [iconModules],
    // The build of the app fills in where each endpoint is. Unit tests of the app call none.
    define: { ADDRESSES: '{}' },
    test: {
      include: [...part.include],
      exclude: [...OUTSIDE, ...part.exclude, ...withoutPrograms(mode === 'trials' ? [] : TRIALS)],
      env: { ...part.env },
      globalSetup: ['test/folder.ts', 'e2e/built-app.ts', 'e2e/built-programs.ts'],
      setupFiles: ['test/setup.ts'],
      isolate: false,
      sequence: { sequencer: TestOrder },
      // Most tests wait for a server, a browser or a shell. Vitest would use one worker on a machine with two cores.
      // Each starts a browser and a PostgreSQL.
      maxWorkers: 3,
      // They only catch what hangs.
      testTimeout: HANGS_MS,
      hookTimeout: HANGS_MS,
      // Below the limit of a test, so that a failure names what was waited for.
      expect: { poll: { interval: 50, timeout: PATIENCE_MS } },
      reporters: ['default', new TestSummary(setting('SLOWEST'))],
    },
  }
})
