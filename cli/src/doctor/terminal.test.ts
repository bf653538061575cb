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
  [80, { LANG: 'C.UTF-8', TERM: 'xterm' }, 'good', '80 columns, colour'],
  [80, { LANG: 'C.UTF-8', TERM: 'xterm', NO_COLOR: '1' }, 'good', '80 columns, no colour'],
  [45, { LANG: 'C.UTF-8', TERM: 'xterm' }, 'good', '45 columns, colour'],
  [44, { LANG: 'C.UTF-8' }, 'doubtful', '44 columns are too few for a QR code'],
  [80, { LANG: 'C' }, 'doubtful', 'the locale is not UTF-8; keyferry shows no QR code'],
])('a terminal of %i columns with %j is %s: %s', (columns, env, state, what) => {
  expect(terminalOf(columns, env)).toMatchObject({ state, what })
})
