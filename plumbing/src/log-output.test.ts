import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const MODULE = pathToFileURL(`${import.meta.dirname}/log-output.ts`).href

/** A process that logs. */
function program(script: string) {
  const whole = `import { logOutput } from '${MODULE}'\nconst output = logOutput()\n${script}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', whole], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('a line is written while its process runs on', async () => {
  const { stdout } = program(`output.write('one\\n')\nsetInterval(() => {}, 1_000)`)
  expect(String(await once(stdout, 'data'))).toBe('one\n')
})

test('what waits is written at the exit', async () => {
  const { stdout } = program(`output.write('last\\n')\nprocess.exit(0)`)
  expect(await text(stdout)).toBe('last\n')
})

test('a reader that is far behind gets the first 8 MiB, and not all that comes while they wait', async () => {
  const { stdout, stderr } = program(`
    for (let line = 1; line <= 32; line++) output.write(String(line).padEnd(1024 * 1024 - 1) + '\\n')
    process.stderr.write('all lines')
    await output.flush()`)
  expect(String(await once(stderr, 'data'))).toBe('all lines')
  const lines = (await text(stdout)).split('\n').filter((line) => line !== '')
  expect(lines.map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})
