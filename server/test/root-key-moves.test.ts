import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ageKeeper, newIdentity } from './keepers.ts'
import { Program, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let dataDir: string
let keeper: string
let server: Program | null

beforeEach(() => {
  folder = temporaryFolder()
  dataDir = join(folder.path, 'data')
  keeper = ageKeeper(join(folder.path, 'keeper'))
  server = null
})

afterEach(async () => {
  await server?.stop('SIGKILL')
  folder.remove()
})

const keyFile = () => readFileSync(join(dataDir, 'root.key'), 'utf8')
const kept = () => ({ DATA_DIR: dataDir, ROOT_KEY_FROM: keeper })

async function run(
  words: readonly string[],
  settings: Record<string, string> = { DATA_DIR: dataDir },
  input = '',
) {
  const program = new Program(settings, words, input)
  const { code } = await program.exited
  return { code, stdout: program.stdout, stderr: program.stderr }
}

async function start(settings: Record<string, string> = { DATA_DIR: dataDir }): Promise<string> {
  await server?.stop()
  server = new Program(settings)
  return await server.ready()
}

async function stop(): Promise<void> {
  await server?.stop()
}

async function createKey(address: string, name: string): Promise<void> {
  const body = JSON.stringify({ name, value: `value of ${name}`, is_secret: false })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${address}/api/v1/keys`, { method: 'POST', headers, body })
}

async function names(address: string): Promise<string[]> {
  const keys = (await (await fetch(`${address}/api/v1/keys`)).json()) as { name: string; value: string }[]
  return keys.map(({ name, value }) => `${name}=${value}`)
}

async function warnings(address: string): Promise<string[]> {
  return ((await (await fetch(`${address}/readyz`)).json()) as { warnings: string[] }).warnings
}

async function makeKit(settings = kept()): Promise<{ kit: string; identity: string }> {
  const identity = join(folder.path, `identity-${Date.now()}`)
  const { code, stdout } = await run(['recovery-kit', '--recipients', newIdentity(identity)], settings)
  expect(code).toBe(0)
  return { kit: stdout, identity }
}

test('a new server gives its root key to the keeper, and nothing in its folder opens it', async () => {
  await createKey(await start(kept()), 'A')
  expect(keyFile()).toMatch(/^command:\S+ [0-9a-f]{16} [\w+/=]+\n$/)
  expect(await warnings(server === null ? '' : await server.ready())).toEqual([
    'there is no recovery kit for the root key',
  ])
  await makeKit()
  expect(await warnings(await (server?.ready() ?? ''))).toEqual([])
  expect(await names(await start(kept()))).toEqual(['A=value of A'])
})

test('while the keeper is away a running server serves, and a restart is refused with its reason', async () => {
  const address = await start(kept())
  renameSync(join(folder.path, 'keeper/identity'), join(folder.path, 'away'))
  await createKey(address, 'A')
  expect(await names(address)).toEqual(['A=value of A'])
  await stop()
  expect(await run([], kept())).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^keyferry-server: the keeper of the root key, command:\S+, does not give it: .* Running servers keep their keys; this one cannot start before the keeper answers\.\n$/,
    ),
  })
  expect(await run(['root-key'], kept())).toMatchObject({ code: 1 })
  renameSync(join(folder.path, 'away'), join(folder.path, 'keeper/identity'))
  expect(await names(await start(kept()))).toEqual(['A=value of A'])
})

test('a move to a keeper and back keeps every value, and needs a kit of the new key', async () => {
  await createKey(await start(), 'A')
  await stop()
  const plain = keyFile().trim()
  const first = await run(['rotate-root-key', '--to', keeper])
  expect([first.code, first.stderr]).toEqual([
    1,
    expect.stringContaining('there is no recovery kit for the root key'),
  ])
  expect(keyFile()).toContain(plain)
  await makeKit()
  const moved = await run(['rotate-root-key', '--to', keeper])
  expect([moved.code, moved.stdout]).toEqual([
    0,
    expect.stringContaining(`Set ROOT_KEY_FROM=${keeper} before`),
  ])
  expect(keyFile()).not.toContain(plain)
  expect(keyFile().trim().split('\n')).toHaveLength(1)
  expect((await run([])).stderr).toContain(`is with a keeper: set ROOT_KEY_FROM=${keeper}`)
  expect(await names(await start(kept()))).toEqual(['A=value of A'])
  await stop()
  const back = await run(['rotate-root-key', '--to', 'file'], kept())
  expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('Remove ROOT_KEY_FROM before')])
  expect(keyFile()).toMatch(/^[\w+/]{43}=\n$/)
  expect((await run([], kept())).stderr).toContain('the root key in')
  expect(await names(await start())).toEqual(['A=value of A'])
})

// A trial.
if (process.env['TRIALS'])
  test('a move that is killed at any moment is continued by the next run', async () => {
    const address = await start()
    for (const name of ['A', 'B', 'C']) await createKey(address, name)
    await stop()
    await run(['rotate-root-key', '--to', keeper])
    await makeKit()
    for (let moment = 50; moment <= 650; moment += 75) {
      const killed = new Program({ DATA_DIR: dataDir }, ['rotate-root-key', '--to', keeper])
      await sleep(moment)
      await killed.stop('SIGKILL')
    }
    // A run that reached its end was followed by one that made a newer key, which needs a kit of its own.
    const last = await run(['rotate-root-key', '--to', keeper])
    if (last.code !== 0) {
      expect(last.stderr).toContain('is older than the root key')
      await makeKit()
      expect(await run(['rotate-root-key', '--to', keeper])).toMatchObject({ code: 0 })
    }
    expect(await names(await start(kept()))).toEqual(['A=value of A', 'B=value of B', 'C=value of C'])
  })

test('with PostgreSQL a move only adds the new key to the file, for all nodes to have it first', async () => {
  const file = join(folder.path, 'root.key')
  const plain = Buffer.from('a root key that was in a file 32').toString('base64')
  writeFileSync(file, `${plain}\n`)
  const settings = { DATABASE_URL: 'postgres://127.0.0.1:1/none', ROOT_KEY_FILE: file }
  const { code, stdout } = await run(['rotate-root-key', '--to', keeper], settings)
  expect([code, stdout]).toEqual([0, expect.stringContaining(`restart them with ROOT_KEY_FROM=${keeper}`)])
  const [first, second] = readFileSync(file, 'utf8').trim().split('\n')
  expect([first?.split(' ')[0], second]).toEqual([keeper, plain])
  const hosted = { ...settings, ROOT_KEY_FROM: keeper }
  expect((await run(['rotate-root-key'], hosted)).stderr).toContain('there is no recovery kit')
})

test('an unfinished move to one place does not continue to another', async () => {
  await start()
  await stop()
  await run(['rotate-root-key', '--to', keeper])
  const other = await run(['rotate-root-key', '--to', 'file'])
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining(`first run keyferry-server rotate-root-key --to ${keeper}`),
  ])
})

test('the recovery kit alone brings the server back: the drill, and a restore without the keeper', async () => {
  await createKey(await start(kept()), 'A')
  const { kit, identity } = await makeKit()
  const opened = execFileSync('age', ['--decrypt', '-i', identity], { input: kit, encoding: 'utf8' })
  const before = keyFile()
  expect(await run(['recovery-drill'], kept(), opened)).toMatchObject({
    code: 0,
    stdout: 'The kit opens this database: 1 of 1 values.\n',
  })
  expect(keyFile()).toBe(before)
  const stranger = `${Buffer.from('a root key of somebody else, 32b').toString('base64')}\n`
  expect((await run(['recovery-drill'], kept(), stranger)).stderr).toContain('made with another root key')
  expect((await run(['recovery-drill'], kept(), 'x')).stderr).toContain('standard input is no kit')
  await stop()
  writeFileSync(join(dataDir, 'root.key'), opened)
  expect(await names(await start())).toEqual(['A=value of A'])
})

test('a recovery kit in a file is whole or not there, and no other file is written', async () => {
  await start()
  await stop()
  const [file, identity] = [join(folder.path, 'a kit.age'), join(folder.path, 'identity')]
  const recipient = newIdentity(identity)
  const make = (to: string, through: readonly string[] = []) =>
    new Program({ DATA_DIR: dataDir }, ['recovery-kit', '--recipients', to, file], '', through).exited
  const noBytes = ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh']
  expect((await make('age1x')).code).toBe(1)
  expect((await make(recipient, noBytes)).code).not.toBe(0)
  expect(existsSync(file)).toBe(false)
  expect(existsSync(join(dataDir, 'root.key.kit'))).toBe(false)
  writeFileSync(`${file}.new`, 'of someone else')
  expect((await make(recipient)).code).toBe(0)
  expect(readFileSync(`${file}.new`, 'utf8')).toBe('of someone else')
  expect(readdirSync(folder.path).filter((name) => name.startsWith('a kit.age'))).toHaveLength(2)
  const kit = readFileSync(file, 'utf8')
  expect(execFileSync('age', ['--decrypt', '-i', identity, file], { encoding: 'utf8' })).toBe(keyFile())
  const before = keyFile()
  for (const [to, place, complaint] of [
    [recipient, file, 'exists already: name a new file'],
    [recipient, join(dataDir, 'root.key'), 'exists already'],
    [recipient, join(dataDir, 'root.key.kit'), 'name another file'],
    [`${recipient},`, recipient, 'write the recipients without spaces'],
    [recipient, `,${recipient}`, 'write the recipients without spaces'],
  ] as const) {
    const refused = await run(['recovery-kit', '--recipients', to, place])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(complaint)])
  }
  const spaced = await run(['recovery-kit', '--recipients', `${recipient}, ${recipient}`])
  expect([spaced.code, spaced.stderr]).toEqual([1, expect.stringContaining('without spaces')])
  expect([readFileSync(file, 'utf8'), keyFile()]).toEqual([kit, before])
  expect(existsSync(recipient)).toBe(false)
})

test('a kit of an older root key is warned of', async () => {
  await start(kept())
  await makeKit()
  await stop()
  await run(['rotate-root-key'], kept())
  expect(await warnings(await start(kept()))).toEqual([
    expect.stringMatching(/^the recovery kit of \d{4}-\d\d-\d\d is older than the root key$/),
  ])
})

test('a wrapped key that was swapped for another does not start the server', async () => {
  await createKey(await start(kept()), 'A')
  await stop()
  const other = { DATA_DIR: join(folder.path, 'other'), ROOT_KEY_FROM: keeper }
  await start(other)
  await stop()
  writeFileSync(join(dataDir, 'root.key'), readFileSync(join(other.DATA_DIR, 'root.key'), 'utf8'))
  expect((await run([], kept())).stderr).toContain('made with another root key')
})

test.each([
  [['rotate-root-key', '--to', 'keeper'], 'keeper is no place for a root key'],
  [['recovery-kit', '--recipients', 'age1x'], '"age1x" is no public key of age'],
])('%j is refused', async (words, complaint) => {
  await start()
  await stop()
  const { code, stderr } = await run(words)
  expect([code, stderr]).toEqual([1, expect.stringContaining(complaint)])
})

test.each([
  [['recovery-kit']],
  [['recovery-kit', 'kit.age']],
  [['verify', '--to', 'file']],
  [['rotate-root-key', 'file']],
])('words that do not fit are refused: %j', async (words) => {
  expect(await run(words)).toMatchObject({ code: 2 })
})
