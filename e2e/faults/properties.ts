import { runTests } from './test-run.ts'
import type { Verdict } from './verdict.ts'

const FOLDERS = [
  'contract',
  'crypto',
  'e2e/import-killed',
  'e2e/environments-killed',
  'api/test/decision-races',
  'api/test/signed-',
]
const RACE_ROUNDS = '200'

/** Run each property of the tests this often, and kill at each moment that they know; a test run is brief. */
export async function checkProperties(runs: number): Promise<Verdict> {
  const env = { PROPERTY_RUNS: String(runs), RACE_ROUNDS }
  const words = ['--silent', '--testTimeout', '3600000', '--mode', 'everything', ...FOLDERS]
  return { what: `properties of ${FOLDERS.join(', ')}, ${runs} runs each`, ...(await runTests(words, env)) }
}
