import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAINTENANCE } from '../src/maintain.ts'
import { endedGrants, endSessions, whatRemains } from '../src/maintenance.ts'
import {
  addRootKey,
  dropOldRootKeys,
  makeRootKeyOnce,
  readRootKeyFile,
} from '../src/root-key/root-key-file.ts'
import { readSettings } from '../src/settings/settings.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const settings = readSettings({ DATA_DIR: folder.path, AUTH_MODE: 'accounts' })

/** Runs a command in this process, and returns what it prints. */
async function run(name: string, argument = '', given = settings): Promise<string> {
  const printed: string[] = []
  const done = await MAINTENANCE[name]?.run(given, argument, (text) => void printed.push(text))
  const { text, isWell } =
    typeof done === 'string' ? { text: done, isWell: true } : (done ?? { text: '', isWell: false })
  return `${printed.join('')}${text}${isWell ? '' : ' (not well)'}`
}

beforeAll(async () => {
  makeRootKeyOnce(folder.path, 'file')
  expect(await run('migrate')).toMatch(/^Migrated: .+\.$/)
})
afterAll(() => folder.remove())

test.each([
  ['migrate', '', 'Nothing to migrate.'],
  ['verify', '', 'Checked 0 values: 0 cannot be decrypted.'],
  ['audit-verify', '', 'There is no audit log yet.'],
  ['audit-verify --accept', '', 'Accepted 0 rows.'],
  [
    'audit-restored',
    'x'.repeat(200),
    'Recorded the restore in 0 audit logs. Notes of later entries are lost with them.',
  ],
  ['approval-keys', '', 'No signing key waits.'],
  ['unlink-people', '', 'No sign-in is linked.'],
])('on an empty database, %s %s prints: %s', async (name, argument, says) => {
  expect(await run(name, argument)).toBe(says)
})

test('commands that make a key print its name', async () => {
  expect(await run('rotate-receipt-key')).toMatch(
    /^The new receipt key is \S+\. Restart the servers to sign with it\.$/,
  )
  expect(await run('rotate-deposit-key')).toMatch(/^The new deposit key is \S+\.$/)
  expect(await run('audit-key')).toMatch(/^keyferry\/audit\+[0-9a-f]{8}\+\S+$/)
  expect(await run('rotate-tenant-key')).toBe(
    [
      'Workspaces with a new key: 0. Values re-encrypted: 0. The old keys are deleted.',
      'Running servers can use a key from memory for up to a minute.',
      'The database file and its write-ahead log no longer hold the deleted data. Backups still hold it: delete them.',
    ].join('\n'),
  )
})

test.each([
  ['audit-restored', 'x'.repeat(201), 'the reason must have at most 200 characters'],
  ['audit-prune', '/no/such', 'there is no file /no/such'],
  ['forget-person', 'sam', 'no user has the id or e-mail address "sam"'],
  ['unlink-people', '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', 'no such link'],
  ['make-owner', 'w', 'make-owner needs WORKSPACE PERSON'],
  ['make-owner', 'w sam kim', 'make-owner needs WORKSPACE PERSON'],
  ['approval-keys', 'XXXX', 'write: keyferry-server approval-keys confirm, and the 20 letters'],
  [
    'rotate-root-key',
    'elsewhere',
    'elsewhere is no place for a root key: name file, or command: and an absolute path',
  ],
  ['recovery-kit', 'age1x, kit.age', 'write the recipients without spaces: --recipients age1…,age1… kit.age'],
  ['recovery-kit', 'age1x age1y', 'write the recipients without spaces: --recipients age1…,age1… kit.age'],
  [
    'recovery-kit',
    `age1x ${join(folder.path, 'root.key.kit')}`,
    'says which kit there is: name another file',
  ],
  ['export-library', 'ftp://x', '"ftp://x" is not an address: write https://keyferry.example.com'],
  ['export-library', 'http://x', 'http://x is not https, and its answer decides who can open the file'],
])('%s %s is refused: %s', async (name, argument, says) => {
  await expect(run(name, argument)).rejects.toThrow(says)
})

test('a root key in ROOT_KEY cannot be changed by a command', async () => {
  const given = readSettings({
    DATA_DIR: folder.path,
    ROOT_KEY: readRootKeyFile(join(folder.path, 'root.key'), 'file')[0],
  })
  await expect(run('root-key', '', given)).rejects.toThrow(
    'ROOT_KEY is set: put the key into a file, and set ROOT_KEY_FILE',
  )
})

test('root-key shows the id and the place of the root key', async () => {
  expect(await run('root-key')).toMatch(
    /^Root key [0-9a-f]{16}: file \(\S+root\.key\)\nThe root key can be read\.$/,
  )
})

test('a rotation advises to store a copy of the new root key', async () => {
  const [counts, next] = (await run('rotate-root-key')).split('\n')
  expect(counts).toMatch(/^Workspace keys re-encrypted: 0\. Root keys no longer needed: \d\.$/)
  const file = join(folder.path, 'root.key')
  expect(next).toBe(`The new root key is in ${file}. Store a copy of it separately from the data.`)
})

test('link-people reads a file with lines OLD NEW, and links only with a valid file and an identity provider', async () => {
  const file = join(folder.path, 'people')
  const linking = async (text: string, given = settings) => {
    writeFileSync(file, text)
    return await run('link-people', file, given)
  }
  await expect(linking('a\n')).rejects.toThrow('a line of the file is not OLD NEW: "a"')
  await expect(linking('a b c\n')).rejects.toThrow('a line of the file is not OLD NEW: "a b c"')
  expect(await linking('# old new\n\n')).toBe(
    `\nNothing was changed. To do it: keyferry-server link-people apply ${file}`,
  )
  const local = readSettings({ DATA_DIR: folder.path })
  await expect(linking('', local)).rejects.toThrow('AUTH_MODE=local has one person: set how people sign in')
  const oidc = readSettings({ DATA_DIR: folder.path, AUTH_MODE: 'oidc' })
  await expect(linking('', oidc)).rejects.toThrow('OIDC_ISSUER is missing: link-people needs it')
  expect(await linking('nobody@example.com x@example.com\n')).toMatch(
    /^nobody@example\.com: .+\nNothing was changed: correct these lines first\. \(not well\)$/,
  )
})

test('the output names the sessions, approvals and data that remain', async () => {
  const clerk = readSettings({ DATA_DIR: folder.path, AUTH_MODE: 'clerk' })
  expect(await endSessions(clerk, 'the account', [])).toBe(
    'Clerk keeps the sessions of the account: end them there, and then restart every web node. Until then they go on.',
  )
  expect(await endSessions(settings, 'the account', [])).toBe(
    'No session store found: to end open sessions, run this with the REDIS_URL or DATA_DIR of the web nodes.',
  )
  expect(endedGrants({ remembered: 2 })).toBe('Remembered approvals that ended: 2.')
  expect(whatRemains({ databaseUrl: 'postgres://x' })).toBe(
    'PostgreSQL keeps deleted rows in its files and its WAL until it reuses the space. Backups still hold it: delete them.',
  )
})

test('a rotation adds one root key at the top of the file, and then drops the old ones', () => {
  const other = temporaryFolder()
  const file = join(other.path, 'root.key')
  expect([makeRootKeyOnce(other.path, 'file'), makeRootKeyOnce(other.path, 'file')]).toEqual([true, false])
  const [old] = readRootKeyFile(file, 'file')
  addRootKey(file, 'file')
  const keys = readRootKeyFile(file, null)
  expect([keys.length, keys[1]]).toEqual([2, old])
  addRootKey(file, 'file')
  expect(readRootKeyFile(file, 'file')).toEqual(keys)
  expect(() => addRootKey(file, 'command:/x')).toThrow(
    'a rotation is unfinished: first run keyferry-server rotate-root-key --to file',
  )
  expect(() => readRootKeyFile(file, 'command:/x')).toThrow(
    'ROOT_KEY_FROM is command:/x, but the root key in',
  )
  dropOldRootKeys(file)
  expect(readRootKeyFile(file, 'file')).toEqual([keys[0]])
  expect(readFileSync(file, 'utf8')).toBe(`${keys[0]}\n`)
  writeFileSync(file, '\n')
  expect(() => readRootKeyFile(file, 'file')).toThrow('does not hold base64 of 32 random bytes')
  expect(() => readRootKeyFile(join(other.path, 'none'), 'file')).toThrow('cannot be read')
  other.remove()
})
