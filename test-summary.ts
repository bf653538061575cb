import type { Reporter, TestModule, TestSpecification } from 'vitest/node'

/** Ends a test run with one plain line of its true sums; a file that could not be loaded counts as a failure. */
export class TestSummary implements Reporter {
  #specifications = 0

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications.length
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const sums = {
      passed: 0,
      failed: errors.length + this.#specifications - modules.length,
      skipped: 0,
      pending: 0,
    }
    for (const module of modules) {
      sums.failed += module.errors().length
      for (const test of module.children.allTests()) sums[test.result().state] += 1
    }
    const skipped = sums.skipped + sums.pending
    const line = `${sums.passed} passed, ${sums.failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}\n`
    process.once('exit', () => process.stdout.write(line))
  }
}
