import { defineConfig } from 'vitest/config'
import { TestSummary } from './test-summary.ts'

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['test-folder.ts', 'e2e/built-app.ts'],
    isolate: false,
    // Most tests wait for a server, a browser or a shell. Vitest would use one worker on a machine with two cores.
    maxWorkers: 2,
    // On a shared machine a browser or a clock may be late once; the output names what was tried again.
    retry: process.env['CI'] === undefined ? 0 : 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default', new TestSummary()],
  },
})
