import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { Verdict } from './verdict.ts'

const FOR_EVER = 'for (;;) {}'

/** Run tests of this repository; what they print goes to standard error.
 * @param words what follows `vitest run`
 * @returns whether they passed, and the sums that the run ends with */
export async function runTests(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Omit<Verdict, 'what'>> {
  const child = spawn('vitest', ['run', ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    process.stderr.write(chunk)
  })
  const [code] = await once(child, 'close')
  return { seen: output.trim().split('\n').at(-1) ?? '', isWell: code === 0 }
}

/** Run tests beside one busy loop for each processor. */
export async function runBusyTests(words: readonly string[]): Promise<Omit<Verdict, 'what'>> {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', FOR_EVER], { stdio: 'ignore' }),
  )
  try {
    return await runTests(words)
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
  }
}
