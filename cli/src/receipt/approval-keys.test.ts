import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { EXIT } from '../base/cli-error.ts'
import { readFingerprint, requireTrustedKeys, requireWorkspace, trustKey } from './approval-keys.ts'

const [ADA, SAM] = ['ABCD-EFGH-JKLM-NPQR-STVW', 'BCDE-FGHJ-KLMN-PQRS-TVWX']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-approval-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const at = () => stage({ XDG_STATE_HOME: folder }, '/')
const keptIn = (workspace: string) => join(folder, 'keyferry', 'approval-keys', workspace)

test.each([ADA, ADA.toLowerCase(), ADA.replaceAll('-', ''), ` ${ADA.replaceAll('-', ' ')} `])(
  'a fingerprint can be written with other cases and separators: %s',
  (text) => expect(readFingerprint(text)).toBe(ADA),
)

test.each(['', `${ADA}X`, ADA.slice(1), `${ADA.slice(1)}1`])('%j is not a fingerprint', (text) => {
  expect(() => readFingerprint(text)).toThrow(
    expect.objectContaining({
      exitCode: EXIT.usage,
      message: `${text} is not the fingerprint of a signing key`,
      next: 'Give its 20 letters, as its person reads them on the page Account.',
    }),
  )
})

test('a receipt of another workspace is refused', () => {
  requireWorkspace(null, {})
  requireWorkspace('w', { workspace: { id: 'w' } })
  for (const fields of [{ workspace: { id: 'x' } }, {}])
    expect(() => requireWorkspace('w', fields)).toThrow('the receipt is of another workspace')
})

test('if keys are named, each signature must be from one of them', () => {
  const named = { named: [ADA, SAM], workspace: 'w' }
  requireTrustedKeys([ADA], named, at())
  const refused = () => requireTrustedKeys([ADA, SAM], { ...named, named: [ADA] }, at())
  expect(refused).toThrow('a key that you do not name signed the approval')
})

test('without named keys and a workspace, keys are neither compared nor remembered', () => {
  const parts = at()
  requireTrustedKeys([ADA], { named: [], workspace: null }, parts)
  expect(parts.seen.stderr).toBe('')
  expect(readdirSync(folder)).toEqual([])
})

test('only the first keys of a workspace are trusted without a flag', () => {
  const parts = at()
  const inWorkspace = { named: [], workspace: 'w' }
  requireTrustedKeys([ADA, ADA], inWorkspace, parts)
  expect(parts.seen.stderr).toBe(`keyferry: trusted on first use: ${ADA}\n`)
  requireTrustedKeys([ADA], inWorkspace, parts)
  expect(() => requireTrustedKeys([ADA, SAM], inWorkspace, parts)).toThrow(
    expect.objectContaining({
      message: `the signing key ${SAM} is new in the workspace w`,
      next: `Ask its person to read the fingerprint to you. If it is the same, add --trust ${SAM}`,
    }),
  )
  trustKey(SAM, 'w', parts)
  requireTrustedKeys([ADA, SAM], inWorkspace, parts)
  expect(readdirSync(keptIn('w')).toSorted()).toEqual([ADA, SAM])
  expect(statSync(join(keptIn('w'), ADA)).mode & 0o777).toBe(0o600)
})

test('a key that cannot be stored is an error', () => {
  writeFileSync(join(folder, 'keyferry'), '')
  expect(() => trustKey(ADA, 'w', at())).toThrow(
    expect.objectContaining({
      exitCode: EXIT.general,
      message: expect.stringMatching(/^cannot store a signing key: /),
    }),
  )
})
