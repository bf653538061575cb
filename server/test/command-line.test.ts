import { expect, test } from 'vitest'
import { SETTINGS } from '../src/settings/setting-table.ts'
import { Program } from './program.ts'

async function run(...words: string[]) {
  const program = new Program({ DATA_DIR: '/nowhere/at/all' }, words)
  const { code } = await program.exited
  return { code, stdout: program.stdout, stderr: program.stderr }
}

test('--help names every setting and exits with code 0', async () => {
  const { code, stdout } = await run('--help')
  expect(code).toBe(0)
  for (const name of Object.keys(SETTINGS)) expect(stdout).toContain(`\n  ${name} `)
  expect(stdout).toMatch(/^ {2}PORT .*; default: 5393$/m)
})

test('--version prints only the version', async () => {
  expect(await run('--version')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
})

test.each([
  [['serve'], 'serve'],
  [['api', 'web'], 'api web'],
  [['--port'], '--port'],
  [['\u001b[31m'], '\\u001b[31m'],
])('words that are no command are refused: %j', async (words, shown) => {
  const { code, stdout, stderr } = await run(...words)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe(`keyferry-server: unknown command "${shown}"; see keyferry-server --help\n`)
})
