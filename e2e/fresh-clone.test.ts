import { expect, test } from 'vitest'
import { runReadme } from './fresh-clone.ts'

// This version does not link the Node.js that `npm ci` installs (npm/cli#4362). `npm run faults -- starts` has others.
test('the commands of the README work in a fresh clone with npm 10.8.2, and without what only builds need', async () => {
  const value = expect.stringContaining('from a new clone\n')
  expect(await runReadme('10.8.2')).toEqual({ delivered: value, afterPruning: value })
})
