import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Verdict } from './verdict.ts'

const FOLDERS = ['contract', 'crypto']

/** Run each property of the tests this often; a test run is brief. */
export async function holdProperties(runs: number): Promise<Verdict> {
  const child = spawn('vitest', ['run', '--silent', '--testTimeout', '3600000', ...FOLDERS], {
    env: { ...process.env, PROPERTY_RUNS: String(runs) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  const [code] = await once(child, 'exit')
  const sums = output.trim().split('\n').at(-1) ?? ''
  return { what: `properties of ${FOLDERS.join(' and ')}, ${runs} runs each`, seen: sums, isWell: code === 0 }
}
