import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../../../plumbing/test/until.ts'
import { whyNoBrowser } from './browser.ts'
import { openBrowser } from './open-browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-browser-'))
afterAll(() => rmSync(folder, { recursive: true }))

const script = join(folder, 'browser')
writeFileSync(script, `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/$1\n`)
chmodSync(script, 0o755)

test.each([
  ['one', `${script} one`, 'one\nhttp://x/approve/1\n'],
  ['two', `${script} two --url=%s --new:other`, 'two\n--url=http://x/approve/1\n--new\n'],
])('BROWSER names the program that opens the link: %s', async (name, BROWSER, said) => {
  openBrowser('http://x/approve/1', { BROWSER }, 'linux')
  await eventually(() => expect(readFileSync(join(folder, name), 'utf8')).toBe(said))
})

test.each([
  [{}, 'there is no display'],
  [{ BROWSER: 'firefox' }, null],
  [{ BROWSER: 'code --open', SSH_TTY: '/dev/pts/1' }, null],
  [{ BROWSER: 'none', DISPLAY: ':0' }, 'BROWSER is none'],
  [{ BROWSER: 'firefox', CI: 'true' }, 'this is a CI job'],
  [{ DISPLAY: ':0' }, null],
])('whether a browser opens with %j: %s', (env, why) => {
  expect(whyNoBrowser(env, 'linux')).toBe(why)
})
