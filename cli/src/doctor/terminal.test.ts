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
