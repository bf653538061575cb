import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
export async function holdProperties(runs: number): Promise<Verdict> {
  const child = spawn('vitest', ['run', '--silent', '--testTimeout', '3600000', ...FOLDERS], {
    env: { ...process.env, PROPERTY_RUNS: String(runs), RACE_ROUNDS },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  const [code] = await once(child, 'exit')
  const sums = output.trim().split('\n').at(-1) ?? ''
  return { what: `properties of ${FOLDERS.join(', ')}, ${runs} runs each`, seen: sums, isWell: code === 0 }
}
