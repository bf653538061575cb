import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasRedis, startRedis } from '../../plumbing/test/redis-server.ts'
import { type Exit, Program, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let dataDir: string
const started: Program[] = []

beforeEach(() => {
  folder = temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.stop('SIGKILL')))
  folder.remove()
})

function program(settings: Readonly<Record<string, string>> = {}, words: readonly string[] = []): Program {
  const child = new Program({ DATA_DIR: dataDir, ...settings }, words)
  started.push(child)
  return child
}

// Root without its capabilities is a user like any other.
function withoutCapabilities(folderOfData: string): Program {
  const child = new Program({ DATA_DIR: folderOfData }, [], '', ['setpriv', '--bounding-set=-all'])
  started.push(child)
  return child
}

async function refusal(child: Program): Promise<Exit & { line: string }> {
  const exit = await child.exited
  expect(child.stdout).toBe('')
  return { ...exit, line: child.stderr }
}

const mode = (path: string) => statSync(path).mode & 0o777

async function createBundle(address: string): Promise<number> {
  const answer = await fetch(`${address}/api/v1/bundles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"dev/app"}',
  })
  return answer.status
}

describe('a first start', () => {
  test('says where it listens, where its data is, and what to type next', async () => {
    const child = program()
    const address = await child.ready()
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(child.stdout).toContain(dataDir)
    expect(child.stdout).toContain(`curl -fsS ${address}/install.sh | sh\n`)
    expect(child.stdout).toContain(`keyferry import .env --bundle dev/app --server ${address}`)
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
    expect(child.stderr).toBe('')
  })

  test('leaves nothing in the data folder that others can read', async () => {
    await program().ready()
    expect(mode(dataDir)).toBe(0o700)
    const names = readdirSync(dataDir)
    expect(names).toEqual(expect.arrayContaining(['api.sock', 'keyferry.db', 'root.key', 'server.lock']))
    for (const name of names) expect([name, mode(join(dataDir, name)) & 0o077]).toEqual([name, 0])
    expect(mode(join(dataDir, 'root.key'))).toBe(0o600)
    expect(Buffer.from(readFileSync(join(dataDir, 'root.key'), 'utf8'), 'base64')).toHaveLength(32)
  })

  test('closes an empty folder that is open to others', async () => {
    mkdirSync(dataDir, { mode: 0o755 })
    await program().ready()
    expect(mode(dataDir)).toBe(0o700)
  })

  test('in a folder whose path is too long for a socket uses a private one, and leaves nothing of it', async () => {
    dataDir = join(folder.path, 'long'.repeat(20), 'data')
    const child = program({ TMPDIR: folder.path })
    const address = await child.ready()
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
    expect(existsSync(join(dataDir, 'api.sock'))).toBe(false)
    expect(await child.stop('SIGINT')).toEqual({ code: 0, signal: null })
    expect(readdirSync(folder.path).filter((name) => name.startsWith('keyferry-'))).toEqual([])
  })
})

describe('a second start', () => {
  test('finds everything again', async () => {
    const first = program()
    expect(await createBundle(await first.ready())).toBe(201)
    const key = readFileSync(join(dataDir, 'root.key'), 'utf8')
    await first.stop()
    const second = program()
    expect(await createBundle(await second.ready())).toBe(409)
    expect(readFileSync(join(dataDir, 'root.key'), 'utf8')).toBe(key)
    expect(second.stdout).not.toContain('root key was made')
  })

  test('after kill -9 finds everything that was acknowledged', async () => {
    const first = program()
    expect(await createBundle(await first.ready())).toBe(201)
    await first.stop('SIGKILL')
    expect(existsSync(join(dataDir, 'api.sock'))).toBe(true)
    expect(await createBundle(await program().ready())).toBe(409)
  })

  test('beside a running one is refused', async () => {
    await program().ready()
    const { code, line } = await refusal(program())
    expect([code, line]).toEqual([
      1,
      `keyferry-server: another keyferry-server is running on DATA_DIR ${dataDir}\n`,
    ])
  })

  test('without the root key makes no new one in its place', async () => {
    const first = program()
    await first.ready()
    await first.stop()
    rmSync(join(dataDir, 'root.key'))
    const { code, line } = await refusal(program())
    expect(code).toBe(1)
    expect(line).toMatch(/root\.key is missing/)
    expect(existsSync(join(dataDir, 'root.key'))).toBe(false)
  })

  test('with another root key is refused', async () => {
    const first = program()
    await first.ready()
    await first.stop()
    const other = 'b3RoZXIgcm9vdCBrZXkgb2YgMzIgYnl0ZXMgaGVyZSE='
    const { code, line } = await refusal(program({ ROOT_KEY: other }))
    expect(code).toBe(1)
    expect(line).toContain('ROOT_KEY')
    expect(line.trimEnd()).not.toContain('\n')
    expect(line).not.toContain(other)
  })
})

describe('a failed start prints one line and exits with code 1', () => {
  test('a taken port', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => holder.once('listening', resolve))
    const place = holder.address()
    const port = String(typeof place === 'object' ? place?.port : '')
    const { code, line } = await refusal(program({ PORT: port }))
    holder.close()
    expect([code, line]).toEqual([
      1,
      `keyferry-server: port ${port} on 127.0.0.1 is in use: stop the program that listens there, or set PORT\n`,
    ])
  })

  test.each(['below a file', 'a file itself', 'on a file system that takes no writes'])(
    'a data folder %s',
    async (how) => {
      writeFileSync(join(folder.path, 'file'), '')
      const path = {
        'below a file': join(folder.path, 'file/data'),
        'a file itself': join(folder.path, 'file'),
      }
      const { code, line } = await refusal(
        program({ DATA_DIR: path[how as keyof typeof path] ?? '/proc/keyferry' }),
      )
      expect(code).toBe(1)
      expect(line).toMatch(/^keyferry-server: DATA_DIR .* (is not writable \(E[A-Z]+\)|is not a folder)\n$/)
    },
  )

  test('a data folder whose database cannot be opened', async () => {
    mkdirSync(join(dataDir, 'server.lock'), { recursive: true, mode: 0o700 })
    const { code, line } = await refusal(program())
    expect([code, line]).toEqual([
      1,
      `keyferry-server: DATA_DIR ${dataDir} is not writable (no permission or no space)\n`,
    ])
  })

  // Root may write in any folder; for root the file system above that takes no writes shows the same.
  if (process.getuid?.() !== 0)
    test('a data folder without the right to write', async () => {
      mkdirSync(dataDir)
      chmodSync(dataDir, 0o500)
      expect((await refusal(program())).line).toMatch(/^keyferry-server: DATA_DIR .* is not writable/)
    })

  if (process.platform === 'linux' && process.getuid?.() === 0)
    test('a folder of another user, as a volume with fsGroup is: a folder in it works', async () => {
      mkdirSync(dataDir)
      chownSync(dataDir, 1234, 0)
      chmodSync(dataDir, 0o2770)
      const inside = join(dataDir, 'keyferry')
      const { line } = await refusal(withoutCapabilities(dataDir))
      expect(line).toBe(
        `keyferry-server: DATA_DIR ${dataDir} belongs to another user, as a volume with fsGroup does, and others can open it: use a folder in it, such as ${inside}\n`,
      )
      await withoutCapabilities(inside).ready()
      expect(mode(inside) & 0o077).toBe(0)
    })

  test('a file of the data folder that this user may not open is no problem of the port', async () => {
    mkdirSync(dataDir, { mode: 0o700 })
    mkdirSync(join(dataDir, 'keyferry.db'))
    const { line } = await refusal(program({ ROOT_KEY: randomBytes(32).toString('base64') }))
    expect(line).toContain('keyferry.db')
    expect(line).not.toContain('port')
  })

  if (process.getuid?.() !== 0)
    test('a database file without the right to read is no problem of the port', async () => {
      mkdirSync(dataDir, { mode: 0o700 })
      writeFileSync(join(dataDir, 'keyferry.db'), '', { mode: 0o000 })
      const { line } = await refusal(program({ ROOT_KEY: randomBytes(32).toString('base64') }))
      expect(line).toContain('keyferry.db')
      expect(line).not.toContain('port')
    })

  test('a folder with other files that others can read is refused, and its mode is not changed', async () => {
    mkdirSync(dataDir, { mode: 0o755 })
    writeFileSync(join(dataDir, 'notes.txt'), '')
    expect((await refusal(program())).line).toContain('is open to other users')
    expect(mode(dataDir)).toBe(0o755)
  })

  test('a root key file that is empty', async () => {
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(join(dataDir, 'root.key'), '', { mode: 0o600 })
    expect((await refusal(program())).line).toContain('does not hold base64 of 32 random bytes')
  })
})

describe('an unavailable store stops the start, and the message names it', () => {
  const unreachable = 'user:a-password@127.0.0.1:1'
  test.each([
    ['REDIS_URL', { REDIS_URL: `redis://${unreachable}` }],
    [
      'DATABASE_URL',
      { DATABASE_URL: `postgres://${unreachable}/keyferry`, ROOT_KEY: randomBytes(32).toString('base64') },
    ],
  ])('%s', async (name, settings) => {
    const { code, line } = await refusal(program({ LOG_LEVEL: 'info', ...settings }))
    expect([code, line]).toEqual([1, expect.stringMatching(new RegExp(`^keyferry-server: ${name}: .*\\n$`))])
    expect(line).not.toContain('a-password')
  })

  test.runIf(hasRedis())('several Redis servers that are no cluster', async () => {
    const [one, other] = [await startRedis(), await startRedis()]
    const { code, line } = await refusal(program({ REDIS_URL: `${one.url},${new URL(other.url).host}` }))
    await Promise.all([one.stop(), other.stop()])
    const says = 'REDIS_URL names several servers, and they are not a Redis Cluster'
    expect([code, line]).toEqual([1, `keyferry-server: ${says}\n`])
  })
})

test.each([
  ['HOST', { HOST: '10.255.255.254', AUTH_MODE: 'accounts', PUBLIC_URL: 'https://keyferry.example.com' }],
  ['METRICS_HOST', { METRICS_HOST: '10.255.255.254', METRICS_PORT: '9393' }],
])('%s that is not of this machine is named', async (name, settings) => {
  const { code, line } = await refusal(program(settings))
  expect([code, line]).toEqual([
    1,
    `keyferry-server: ${name} 10.255.255.254 is not an address of this machine: set ${name}\n`,
  ])
})
