import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { EXIT } from '../base/cli-error.ts'
import { DEFAULT_SERVER } from '../server/server-address.ts'
import { readSmallFile } from './small-file.ts'
import { isTrusted, requireTrust, trust } from './trusted-folders.ts'
import { expectedWorkspace, forgetWorkspace, isWorkspace, pinWorkspace } from './workspace-pins.ts'

const SERVER = 'https://keyferry.example'
const ID = '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21'
const ACME = { id: ID, name: 'Acme' }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-trusted-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const named = () => ({ folder, server: SERVER })

/** A terminal where the person gives this answer. With null, there is no terminal. */
function at(answer: string | null) {
  const parts = stage({ XDG_STATE_HOME: join(folder, 'state') }, folder)
  if (answer === null) return parts
  const keyboard = { ...parts.keyboard, isThere: () => true, ask: () => answer }
  return { ...parts, stderr: { ...parts.stderr, isTerminal: true }, keyboard }
}

test.each([
  ['without a terminal', null],
  ['after a no', 'n'],
])('%s, a server from keyferry.json is not trusted', (_, answer) => {
  expect(() => requireTrust(named(), at(answer))).toThrow(
    expect.objectContaining({
      exitCode: EXIT.usage,
      message: `the server ${SERVER} from keyferry.json is not confirmed for this folder`,
      next: `If you trust it, add --server ${SERVER}, or run the command once at a terminal and confirm.`,
    }),
  )
  expect(isTrusted(named(), at(null))).toBe(false)
})

test('the client asks once for each folder and server', () => {
  const parts = at('y')
  requireTrust(named(), parts)
  expect(parts.seen.stderr).toBe(`keyferry.json in ${folder}\nuses the server ${SERVER}\n`)
  requireTrust(named(), at(null))
  const others = [
    { ...named(), server: 'https://other.example' },
    { ...named(), folder: `${folder}/x` },
  ]
  expect(others.map((each) => isTrusted(each, at(null)))).toEqual([false, false])
})

test('the server of this machine is trusted without a question', () => {
  requireTrust({ folder, server: DEFAULT_SERVER }, at(null))
})

test('the list of trusted folders is private', () => {
  trust(named(), at(null))
  const kept = join(folder, 'state', 'keyferry', 'trusted-folders')
  expect(statSync(kept).mode & 0o777).toBe(0o700)
})

test('a project file is a regular file of up to 64 KiB', () => {
  const path = join(folder, 'file')
  expect(readSmallFile(path)).toBeNull()
  expect(readSmallFile(join(path, 'x'))).toBeNull()
  writeFileSync(path, 'x'.repeat(64 * 1024))
  expect(readSmallFile(path)?.text).toHaveLength(64 * 1024)
  expect(readSmallFile(join(path, 'x'))).toBeNull()
  writeFileSync(path, 'x'.repeat(64 * 1024 + 1))
  expect(() => readSmallFile(path)).toThrow(`${path} cannot be read: it is larger than 64 KiB`)
  expect(() => readSmallFile(folder)).toThrow(`${folder} cannot be read: it is not a file`)
})

test('a confirmed workspace is remembered for its folder and server until keyferry forget', () => {
  const parts = at(null)
  const expected = (text: string | null, isFlag = false) =>
    expectedWorkspace({ text, isFlag, place: named() }, parts)
  const found = (text: string | null, knownId: string | null, isFlag = false) => ({
    text,
    knownId,
    isFlag,
    place: named(),
  })
  expect(expected(null)).toEqual(found(null, null))
  expect(expected('Acme')).toEqual(found('Acme', null))
  expect(expected(ID.toUpperCase())).toEqual(found(ID, null))
  expect(expected(ID.toUpperCase(), true)).toEqual(found(ID, ID, true))
  pinWorkspace(named(), { id: 'another', name: 'Other' }, parts)
  pinWorkspace(named(), ACME, parts)
  expect(expected(null)).toEqual(found(ID, ID))
  expect(expected('Acme')).toEqual(found(ID, ID))
  expect(expected('Other')).toEqual(found('Other', null))
  expect(expected(ID)).toEqual(found(ID, ID))
  expect(forgetWorkspace(named(), parts)).toEqual(ACME)
  expect(forgetWorkspace(named(), parts)).toBeNull()
})

test('if the state folder is not writable, the workspace is not remembered and the command continues', () => {
  writeFileSync(join(folder, 'state'), '')
  pinWorkspace(named(), ACME, at(null))
  expect(readFileSync(join(folder, 'state'), 'utf8')).toBe('')
})

test('a workspace is named by its id, in any case, or by its exact name', () => {
  const texts = [ID, ID.toUpperCase(), 'Acme', 'acme']
  expect(texts.map((text) => isWorkspace(ACME, text))).toEqual([true, true, true, false])
  expect(isWorkspace(null, ID)).toBe(false)
})
