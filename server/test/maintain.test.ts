import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { until } from '../../plumbing/test/until.ts'
import { Program, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let dataDir: string
let server: Program | null

beforeEach(() => {
  folder = temporaryFolder()
  dataDir = join(folder.path, 'data')
  server = null
})

afterEach(async () => {
  await server?.stop('SIGKILL')
  folder.remove()
})

async function run(...words: string[]) {
  const program = new Program({ DATA_DIR: dataDir }, words)
  const { code } = await program.exited
  return { code, stdout: program.stdout, stderr: program.stderr }
}

async function start(): Promise<string> {
  server = new Program({ DATA_DIR: dataDir })
  return await server.ready()
}

async function stop(): Promise<void> {
  await server?.stop()
}

const names = async (address: string) =>
  ((await (await fetch(`${address}/api/v1/keys`)).json()) as { name: string; value: string }[]).map(
    ({ name, value }) => `${name}=${value}`,
  )

async function createKey(address: string, name: string): Promise<void> {
  const body = JSON.stringify({ name, value: `value of ${name}`, is_secret: false })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${address}/api/v1/keys`, { method: 'POST', headers, body })
}

const PLANTED = '/home/sam/planted-2f7c'

/** Bytes of the first row of a table, as the database has them. */
function storedIn(table: string, column: string): Buffer {
  using file = new DatabaseSync(join(dataDir, 'keyferry.db'), { readOnly: true })
  const bytes = file.prepare(`select ${column} as bytes from ${table}`).get()?.['bytes']
  if (!(bytes instanceof Uint8Array)) throw new Error(`${table} has no ${column}`)
  return Buffer.from(bytes)
}

/** The databases and write-ahead logs of the data folder that have these bytes. */
function holding(bytes: Buffer): string[] {
  const files = readdirSync(dataDir).filter((name) => /\.db(-wal)?$/.test(name))
  expect(files).toEqual(expect.arrayContaining(['keyferry.db', 'keyferry.db-wal']))
  return files.filter((name) => readFileSync(join(dataDir, name)).includes(bytes))
}

const rootKey = () => readFileSync(join(dataDir, 'root.key'), 'utf8')

/** A server with local accounts, and a browser for it. */
async function startAccounts() {
  const [email, password] = ['sam@example.com', 'the password that was forgotten']
  let cookie = ''
  server = new Program({ DATA_DIR: dataDir, AUTH_MODE: 'accounts' })
  const address = await server.ready()
  const post = async (path: string, body: object, more: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/json', ...more }
    const answer = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return answer.status
  }
  const isSignedIn = async () => (await fetch(`${address}/api/v1/me`, { headers: { cookie } })).status === 200
  const logIn = (word: string) => post('/sign-in', { email, password: word })
  const setup_code = /^set-up code: (\S+)$/m.exec(server.stderr)?.[1]
  return { email, password, setup_code, post, isSignedIn, logIn }
}

test('a forgotten password is replaced by a new one while the server runs, and a lock ends', async () => {
  const { email, password, setup_code, post, isSignedIn, logIn } = await startAccounts()
  expect(await post('/set-up', { setup_code: 'wrong', email, password })).toBe(403)
  expect(await post('/set-up', { setup_code, email, password })).toBe(200)
  expect(await isSignedIn()).toBe(true)
  const { code, stdout } = await run('reset-password', 'Sam@Example.com')
  const fresh = /password is (\S+)\n/.exec(stdout)?.[1] ?? ''
  expect([code, fresh.length >= 32]).toEqual([0, true])
  expect(stdout).toContain('All sessions of the account ended.')
  expect(await isSignedIn()).toBe(false)
  expect([await logIn(password), await logIn(fresh)]).toEqual([401, 403])
  const signIn = (new_password: string) => post('/sign-in', { email, password: fresh, new_password })
  expect(await signIn('password1234')).toBe(400)
  expect([await signIn('a word of my own'), await logIn('a word of my own')]).toEqual([200, 200])
  const unknown = await run('reset-password', 'nobody@example.com')
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'keyferry-server: no local account has the e-mail address "nobody@example.com"\n',
  ])
  expect((await run('reset-password')).stderr).toContain('reset-password needs EMAIL')
})

test('a disabled account has no session and gets none, until it is enabled', async () => {
  const { email, password, setup_code, post, isSignedIn, logIn } = await startAccounts()
  expect(await post('/set-up', { setup_code, email, password })).toBe(200)
  const disabled = await run('disable-account', email)
  expect([disabled.code, disabled.stdout]).toEqual([
    0,
    expect.stringContaining('All sessions of the account ended.'),
  ])
  expect([await isSignedIn(), await logIn(password)]).toEqual([false, 403])
  expect((await run('disable-account', 'nobody@example.com')).code).toBe(1)
  expect((await run('enable-account', email)).stdout).toBe('The account is enabled.\n')
  expect([await logIn(password), await isSignedIn()]).toEqual([200, true])
})

test('a person becomes an owner by a command, which refuses what it does not know', async () => {
  const { email, password, setup_code, post } = await startAccounts()
  expect(await post('/set-up', { setup_code, email, password })).toBe(200)
  expect((await run('make-owner', 'nowhere', email)).stderr).toContain('no workspace has the id nowhere')
  expect((await run('make-owner', 'nowhere')).stderr).toContain('make-owner needs WORKSPACE PERSON')
  using file = new DatabaseSync(join(dataDir, 'keyferry.db'))
  const { id } = file.prepare('select id from tenants').get() ?? {}
  expect((await run('make-owner', String(id), email)).stderr).toContain('the person is an owner already')
})

test('the root key is rotated in one command, and the values open with the new one', async () => {
  await createKey(await start(), 'A')
  await stop()
  const old = rootKey()
  const { code, stdout } = await run('rotate-root-key')
  expect([code, stdout]).toEqual([0, expect.stringContaining('Workspace keys re-encrypted: 1.')])
  expect(rootKey()).not.toBe(old)
  expect(rootKey().trim().split('\n')).toHaveLength(1)
  expect(stdout).not.toContain(rootKey().trim())
  expect(await names(await start())).toEqual(['A=value of A'])
})

test('a workspace gets a new key while the server runs, and the server reads and writes on', async () => {
  const address = await start()
  await createKey(address, 'A')
  const old = storedIn('tenants', 'wrapped_key')
  expect(holding(old)).not.toEqual([])
  const rotated = run('rotate-tenant-key')
  await createKey(address, 'B')
  await until('the first step', () => !storedIn('tenants', 'wrapped_key').equals(old))
  for (const name of ['C', 'D']) await createKey(address, name)
  const { code, stdout } = await rotated
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Workspaces with a new key: 1\. Values re-encrypted: \d\. The old keys are deleted\.\n.*a minute\.\n.*Backups/,
    ),
  ])
  expect(holding(old)).toEqual([])
  expect(await names(address)).toEqual(['A', 'B', 'C', 'D'].map((name) => `${name}=value of ${name}`))
  expect((await run('verify')).stdout).toBe('Checked 4 values: 0 cannot be decrypted.\n')
  expect((await run('rotate-tenant-key', 'nobody')).stderr).toContain('no workspace has the id nobody')
})

test('a workspace is deleted while the server runs, once its name is typed', async () => {
  const address = await start()
  await createKey(address, 'A')
  const read = async (path: string) => (await fetch(`${address}/api/v1/${path}`)).json()
  const [{ id, name }] = (await read('tenants')) as [{ id: string; name: string }]
  const forget = async (typed: string) => {
    const program = new Program({ DATA_DIR: dataDir }, ['forget-tenant', id], typed)
    const { code } = await program.exited
    return [code, program.stdout, program.stderr]
  }
  expect(await forget('other\n')).toEqual([1, '', expect.stringContaining('nothing was deleted')])
  expect(await forget('')).toEqual([1, '', expect.stringContaining('nothing was deleted')])
  expect(await names(address)).toEqual(['A=value of A'])
  const asked = await fetch(`${address}/api/v1/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_pubkey: Buffer.alloc(32, 9).toString('base64'),
      workspace: id,
      cwd: PLANTED,
    }),
  })
  expect(asked.status).toBe(201)
  const gone = [storedIn('tenants', 'wrapped_key'), storedIn('keys', 'value'), Buffer.from(PLANTED)]
  for (const bytes of gone) expect(holding(bytes)).not.toEqual([])
  expect(await forget(`${name}\n`)).toEqual([
    0,
    expect.stringContaining('The workspace and its key are deleted'),
    expect.stringContaining(`Type its name:`),
  ])
  for (const bytes of gone) expect(holding(bytes)).toEqual([])
  expect(await read('tenants')).not.toContainEqual(expect.objectContaining({ id }))
  expect((await run('verify')).stdout).toBe('Checked 0 values: 0 cannot be decrypted.\n')
  await stop()
  expect(await names(await start())).toEqual([])
})

/** Confirm a signing key, and type an answer. */
const confirm = async (typed: string, ...letters: string[]) => {
  const words = ['approval-keys', 'confirm', ...letters]
  const program = new Program({ DATA_DIR: dataDir }, words, typed)
  const { code } = await program.exited
  return [code, program.stdout, program.stderr]
}

test('a signing key counts once its letters are typed, and no longer at another host', async () => {
  const port = await freePort('127.0.0.1')
  const begin = async (host: string) => {
    const PUBLIC_URL = `http://${host}:${port}`
    server = new Program({ DATA_DIR: dataDir, AUTH_MODE: 'accounts', PORT: `${port}`, PUBLIC_URL })
    return { site: PUBLIC_URL, address: await server.ready() }
  }
  const { site, address } = await begin('localhost')
  const call = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin: site, cookie }
    return fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const setup_code = /^set-up code: (\S+)$/m.exec(server?.stderr ?? '')?.[1]
  const account = { setup_code, email: 'sam@example.com', password: 'a password for this test' }
  const cookie = (await call('/set-up', account)).headers.get('set-cookie')?.split(';')[0]
  const asked = await (await call('/api/v1/approval-keys/prepare', {}, cookie)).json()
  const { token, challenge } = asked as { token: string; challenge: string }
  const passkey = new SoftwarePasskey().create({ challenge, origin: site, rpId: 'localhost' })
  const added = await call('/api/v1/approval-keys', { token, name: 'Laptop', passkey }, cookie)
  const { fingerprint } = (await added.json()) as { fingerprint: string }
  const { stdout } = await run('approval-keys')
  expect(stdout).toContain(`${fingerprint}  waits for you or an owner\n  person     sam@example.com`)
  expect(stdout).toContain('  key        "Laptop", bound to one device\n')
  expect(stdout).toMatch(/added {6}\S+Z from 127\.0\.0\.1\n/)
  expect(await confirm('yes\n', 'BBBB-BBBB')).toEqual([1, '', expect.stringContaining('all 20 letters')])
  expect(await confirm('\n', fingerprint)).toEqual([1, '', expect.stringContaining('nothing was confirmed')])
  const spoken = fingerprint.toLowerCase().split('-')
  expect(await confirm('yes\n', ...spoken)).toEqual([
    0,
    expect.stringContaining('counts now'),
    expect.anything(),
  ])
  expect((await run('approval-keys')).stdout).toBe('No signing key waits.\n')
  await stop()
  const moved = await begin('keyferry.localhost')
  const ready = (await (await fetch(`${moved.address}/readyz`)).json()) as { warnings: string[] }
  expect(ready.warnings).toEqual(['signing keys of another address than PUBLIC_URL: 1'])
})

test('a person is erased from the files too, while the server runs', async () => {
  const { email, password, setup_code, post } = await startAccounts()
  const browser = { 'user-agent': 'planted-6b1e' }
  expect(await post('/set-up', { setup_code, email, password }, browser)).toBe(200)
  expect(await post('/sign-in', { email, password }, browser)).toBe(200)
  const planted = Buffer.from(browser['user-agent'])
  // Sessions are apart: they go on.
  const inLibrary = () => holding(planted).filter((name) => name.startsWith('keyferry.db'))
  await expect.poll(inLibrary).not.toEqual([])
  const { code, stdout } = await run('forget-person', email)
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^Erased the origin of [1-9].*\nThe account stays.*write-ahead log/),
  ])
  expect(inLibrary()).toEqual([])
})

test('while a server runs on the folder, rotation and restore wait for its end', async () => {
  await start()
  for (const words of [['rotate-root-key'], ['restore', join(folder.path, 'none')]]) {
    const { code, stderr } = await run(...words)
    expect([code, stderr]).toEqual([1, expect.stringContaining('another keyferry-server is running')])
  }
})

test('a backup made while the server runs brings everything back', async () => {
  const address = await start()
  await createKey(address, 'A')
  const file = join(folder.path, 'backup.db')
  expect((await run('backup', file)).code).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await run('backup', file)).toMatchObject({
    code: 1,
    stderr: `keyferry-server: ${file} exists already: name a new file\n`,
  })
  const nowhere = join(folder.path, 'nowhere/backup.db')
  expect((await run('backup', nowhere)).stderr).toContain(`${nowhere} cannot be written (ENOENT)`)
  await createKey(address, 'B')
  await stop()
  const { code, stdout } = await run('restore', file)
  expect([code, stdout]).toEqual([0, expect.stringContaining('The old database is kept as')])
  expect(await names(await start())).toEqual(['A=value of A'])
})

type Entry = { action: string; sealed: boolean; data: object }

async function wholeLog(address: string): Promise<Entry[]> {
  return await until('the last entry', async () => {
    const log = (await (await fetch(`${address}/api/v1/audit`)).json()) as Entry[]
    return log.every(({ sealed }) => sealed) && log
  })
}

test('a restore begins a new epoch of the audit log, and other commands work on the log', async () => {
  const address = await start()
  await createKey(address, 'A')
  await wholeLog(address) // a log has no epoch before its first append
  const file = join(folder.path, 'backup.db')
  await run('backup', file)
  await stop()
  await run('restore', file)
  const restarted = await start()
  const [restored] = (await wholeLog(restarted)).filter(({ action }) => action === 'audit.restored')
  expect(restored?.data).toMatchObject({ epoch_before: 1, reason: 'backup restored' })
  const me = (await (await fetch(`${restarted}/api/v1/me`)).json()) as { tenant: { id: string } }
  const workspace = me.tenant.id
  expect(await run('audit-verify', workspace)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\S+: \d+ entries, the chain and its seals are whole\n$/),
  })
  expect((await run('audit-verify', 'none')).stderr).toBe(
    'keyferry-server: no workspace none has an audit log\n',
  )
  const { stdout: exported } = await run('audit-export', workspace)
  writeFileSync(join(folder.path, 'audit.jsonl'), exported)
  expect((await run('audit-prune', join(folder.path, 'audit.jsonl'))).stderr).toContain('holds no whole day')
  expect((await run('audit-prune', join(folder.path, 'none'))).stderr).toContain('there is no file')
  expect((await run('audit-restored', 'standby promoted')).stdout).toContain('in 1 audit logs')
  expect((await run('audit-restored', 'x'.repeat(201))).stderr).toContain('at most 200 characters')
  expect((await run('forget-person', 'nobody@example.com')).stderr).toContain(
    'no user has the id or e-mail address "nobody@example.com"',
  )
})

test('a backup is one file, and stays one when it is restored', async () => {
  await createKey(await start(), 'A')
  await stop()
  const backups = join(folder.path, 'backups')
  mkdirSync(backups)
  await run('backup', join(backups, 'backup.db'))
  expect(readdirSync(backups)).toEqual(['backup.db'])
  expect((await run('restore', join(backups, 'backup.db'))).code).toBe(0)
  expect(readdirSync(backups)).toEqual(['backup.db'])
  const kept = readdirSync(dataDir).filter((name) => name.includes('before-restore'))
  expect(kept).toEqual(['keyferry.db.before-restore-1'])
  const again = await run('restore', join(backups, 'backup.db'))
  expect([again.code, existsSync(join(dataDir, 'keyferry.db.before-restore-2'))]).toEqual([0, true])
})

test('values are verified, also beside a running server', async () => {
  await createKey(await start(), 'A')
  expect(await run('verify')).toEqual({
    code: 0,
    stdout: 'Checked 1 values: 0 cannot be decrypted.\n',
    stderr: '',
  })
})

test('migrating what is up to date does nothing', async () => {
  await start()
  await stop()
  expect(await run('migrate')).toMatchObject({ code: 0, stdout: 'Nothing to migrate.\n' })
})

test('what is missing is named, and nothing is made in its place', async () => {
  for (const command of ['verify', 'rotate-root-key', 'migrate']) {
    expect(await run(command)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not exist'),
    })
    expect(existsSync(dataDir)).toBe(false)
  }
  await start()
  await stop()
  rmSync(join(dataDir, 'root.key'))
  expect(await run('verify')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('root.key is missing'),
  })
  expect(existsSync(join(dataDir, 'root.key'))).toBe(false)
})

test.each([[['backup']], [['restore']], [['verify', 'FILE']], [['backup', 'a', 'b']]])(
  'words that do not fit are refused: %j',
  async (words) => {
    expect(await run(...words)).toMatchObject({ code: 2, stdout: '' })
  },
)

test.each(['backup', 'restore'])('%s without a file says what it needs', async (command) => {
  expect((await run(command)).stderr).toBe(
    `keyferry-server: ${command} needs FILE; see keyferry-server --help\n`,
  )
})
