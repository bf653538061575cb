import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { INSTALLS_PROGRAMS, missingPrograms } from '../plumbing/test/programs.ts'

// How long workers and servers may take to end after the last test.
const TEARDOWN_MS = 120_000

type Sums = { passed: number; failed: number; skipped: number }

/** Ends a test run with one plain line of its true sums; an error outside of a test counts as a failure.
 * The slowest files come before it, if asked for. */
export class TestSummary implements Reporter {
  #specifications = 0
  #isWatching = false
  readonly #slowest: number

  /** @param slowest how many files to list */
  constructor(slowest: number) {
    this.#slowest = slowest
  }

  onInit({ config }: Vitest): void {
    this.#isWatching = config.watch
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications.length
  }

  // Vitest shows them at the end. A run that is stopped has none.
  onTestCaseResult(test: TestCase): void {
    for (const { message } of test.result().errors ?? [])
      process.stdout.write(`${test.module.relativeModuleId}: ${test.name}: ${message}\n`)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const sums = sumsOf(modules)
    sums.failed += errors.length + this.#specifications - modules.length
    // A program that a failed test left behind can keep a stream of the run open, which then does not end.
    const end = () => process.exit(sums.failed === 0 ? undefined : 1)
    if (!this.#isWatching) setTimeout(end, TEARDOWN_MS).unref()
    process.once('exit', () => {
      process.stdout.write(timesOf(modules, this.#slowest) + missing() + lineOf(sums))
    })
  }
}

function sumsOf(modules: readonly TestModule[]): Sums {
  const sums = { passed: 0, failed: 0, skipped: 0, pending: 0 }
  for (const module of modules) {
    // Of a hook, or of a file that could not be loaded.
    for (const each of [module, ...module.children.allSuites()]) sums.failed += each.errors().length
    for (const test of module.children.allTests()) sums[test.result().state] += 1
  }
  const { pending, skipped, ...others } = sums
  return { ...others, skipped: skipped + pending }
}

const lineOf = ({ passed, failed, skipped }: Sums) =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}\n`

function missing(): string {
  const programs = missingPrograms()
  if (programs.length === 0) return ''
  return `Not installed, so their tests were skipped: ${programs.join(', ')}. Install: ${INSTALLS_PROGRAMS}\n`
}

/** One line a file: seconds of its tests and hooks, seconds of its imports, number of tests. */
function timesOf(modules: readonly TestModule[], most: number): string {
  const times = modules.map((module) => {
    const { duration, collectDuration } = module.diagnostic()
    const tests = [...module.children.allTests()].length
    return { file: relative('.', module.moduleId), tests, duration, collectDuration }
  })
  const slowest = times.toSorted((a, b) => b.duration - a.duration).slice(0, most)
  return slowest
    .map((row) => `${seconds(row.duration)}${seconds(row.collectDuration)} ${describe(row)}\n`)
    .join('')
}

const describe = ({ file, tests }: { file: string; tests: number }) => `${file} (${tests} tests)`

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`.padStart(11)
