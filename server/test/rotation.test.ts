import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterEach, describe, expect, test } from 'vitest'
import { administer, freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { hasRedis, startRedis } from '../../plumbing/test/redis-server.ts'
import { Program, temporaryFolder } from './program.ts'

const random = () => randomBytes(32).toString('base64')

let programs: Program[] = []
const folder = temporaryFolder()

function start(settings: Readonly<Record<string, string>>, ...words: string[]): Program {
  const program = new Program({ DATA_DIR: folder.path, ...settings }, words)
  programs.push(program)
  return program
}

/** A file with this text, and how to change it. */
function secretFile(name: string, text: string): { path: string; write(text: string): void } {
  const path = join(folder.path, name)
  const write = (changed: string) => writeFileSync(path, `${changed}\n`, { mode: 0o600 })
  write(text)
  return { path, write }
}

async function readiness(address: string): Promise<unknown> {
  return ((await (await fetch(`${address}/readyz`)).json()) as { failing: string[] }).failing
}

describe.runIf(hasPostgres() && hasRedis())('secrets change while the server runs', () => {
  afterEach(async () => {
    await Promise.all(programs.map((program) => program.stop('SIGKILL')))
    programs = []
  })

  test('the password of PostgreSQL: new connections read the file', async () => {
    const admin = await freshPostgres()
    const role = `app_${randomBytes(4).toString('hex')}`
    await administer(admin, `create role ${role} login superuser password 'first'`)
    const urlWith = (password: string) => Object.assign(new URL(admin), { username: role, password }).href
    const file = secretFile('database-url', urlWith('first'))
    const address = await start({ DATABASE_URL_FILE: file.path, ROOT_KEY: random() }).ready()
    expect(await readiness(address)).toEqual([])
    await administer(admin, `alter role ${role} password 'second'`)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`
    await administer(admin, end)
    await expect.poll(() => readiness(address)).toEqual(['database'])
    file.write(urlWith('second'))
    await expect.poll(() => readiness(address)).toEqual([])
  })

  test('the password of Redis: new connections read the file', async () => {
    const redis = await startRedis('--requirepass', 'first')
    const urlWith = (password: string) => redis.url.replace('//', `//:${password}@`)
    const file = secretFile('redis-url', urlWith('first'))
    const address = await start({ REDIS_URL_FILE: file.path }).ready()
    expect(await readiness(address)).toEqual([])
    const client = createClient({ url: urlWith('first') })
    await client.connect()
    await client.configSet('requirepass', 'second')
    await client.sendCommand(['CLIENT', 'KILL', 'SKIPME', 'yes'])
    client.destroy()
    await expect.poll(() => readiness(address)).toEqual(['Redis'])
    file.write(urlWith('second'))
    await expect.poll(() => readiness(address)).toEqual([])
    await redis.stop()
  })

  test('the shared secret: SIGHUP reads the file, and the old one signs no more', async () => {
    const [old, fresh] = [random(), random()]
    const [ofApi, ofWeb] = [secretFile('api-secret', old), secretFile('web-secret', old)]
    const development = { DEV_ALLOW_PLAINTEXT: '1', NODE_ENV: 'development', REQUIRE_SIGNATURE_V2: '1' }
    const api = start({ ...development, BFF_SHARED_SECRET_FILE: ofApi.path }, 'api')
    const place = { API_URL: await api.ready(), BFF_SHARED_SECRET_FILE: ofWeb.path }
    const web = start(place, 'web')
    const address = await web.ready()
    expect(await readiness(address)).toEqual([])
    ofApi.write(fresh)
    api.child.kill('SIGHUP')
    await expect.poll(() => readiness(address)).not.toEqual([])
    ofWeb.write('too short')
    web.child.kill('SIGHUP')
    await expect.poll(() => web.stderr).toContain('BFF_SHARED_SECRET must be 32 bytes or more')
    ofWeb.write(fresh)
    web.child.kill('SIGHUP')
    await expect.poll(() => readiness(address)).toEqual([])
  })

  test('the root key: SIGHUP reads the file, and refuses keys that do not open the database', async () => {
    const [old, fresh] = [random(), random()]
    const DATABASE_URL = await freshPostgres()
    const file = secretFile('root-key', old)
    const settings = { DATABASE_URL, ROOT_KEY_FILE: file.path, DEV_ALLOW_PLAINTEXT: '1' }
    const first = start(settings)
    const key = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const body = JSON.stringify({ name: 'TOKEN', value: 'the value', is_secret: false })
    const made = await fetch(`${await first.ready()}/api/v1/keys`, { ...key, body })
    const { id } = (await made.json()) as { id: string }
    await first.stop()
    const program = start(settings)
    const address = await program.ready()
    file.write(fresh)
    program.child.kill('SIGHUP')
    await expect.poll(() => program.stderr).toContain('ROOT_KEY')
    file.write(`${fresh}\n${old}`)
    program.child.kill('SIGHUP')
    const rotated = start({ DATABASE_URL, ROOT_KEY: `${fresh},${old}` }, 'rotate-root-key')
    expect((await rotated.exited).code).toBe(0)
    const read = await fetch(`${address}/api/v1/keys/${id}`)
    expect(await read.json()).toMatchObject({ value: 'the value' })
  })
})
