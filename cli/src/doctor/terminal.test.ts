import { expect, test } from 'vitest'
import { examineTerminal } from './terminal.ts'

const stderr = { isTerminal: false, columns: () => 80, rows: () => 24, write: () => undefined }

test.each([
  ['linux', 'keyferry becomes the program'],
  ['win32', 'keyferry starts the program as a child process and forwards signals'],
] as const)('on %s: %s', (platform, what) => {
  const findings = examineTerminal({ stderr, env: {}, platform })
  expect(findings.find(({ about }) => about === 'run')).toMatchObject({ what })
})

const terminalOf = (columns: number, env: Record<string, string>) =>
  examineTerminal({
    stderr: { ...stderr, isTerminal: true, columns: () => columns },
    env,
    platform: 'linux',
  }).find(({ about }) => about === 'terminal')

test.each([
  [80, { LANG: 'C.UTF-8', TERM: 'xterm' }, '80 columns, colour', null],
  [80, { LANG: 'C.UTF-8', TERM: 'xterm', NO_COLOR: '1' }, '80 columns, no colour', null],
  [45, { LANG: 'C.UTF-8', TERM: 'xterm' }, '45 columns, colour', null],
  [44, { LANG: 'C.UTF-8' }, '44 columns are too few for a QR code', 'Make the window wider.'],
  [
    80,
    { LANG: 'C' },
    'the locale is not UTF-8; keyferry shows no QR code',
    'Set LANG, for example to C.UTF-8.',
  ],
])('doctor says of a terminal of %i columns with %j: %s', (columns, env, what, fix) => {
  expect(terminalOf(columns, env)).toEqual({
    about: 'terminal',
    state: fix === null ? 'good' : 'doubtful',
    what,
    fix,
  })
})

test.each([
  [{ BROWSER: 'firefox' }, 'keyferry can open the approval page'],
  [{ CI: 'true' }, 'keyferry does not open it (this is a CI job); open the printed link yourself'],
])('doctor says of the browser with %j: %s', (env, what) => {
  expect(examineTerminal({ stderr, env, platform: 'linux' })[1]).toMatchObject({ about: 'browser', what })
})
