import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hasPgbouncer, startPgbouncer } from '../../plumbing/test/pgbouncer.ts'
import { administer, freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { hasRedis, startRedis } from '../../plumbing/test/redis-server.ts'
import { Program, temporaryFolder } from './program.ts'

const ROOT_KEY = randomBytes(32).toString('base64')

async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder()
  const program = new Program({ DATA_DIR: folder.path, ROOT_KEY, ...settings })
  expect((await program.exited).code).toBe(1)
  folder.remove()
  return program.stderr
}

test.runIf(hasPostgres())('a start says what PostgreSQL answered, without the password', async () => {
  const url = new URL(await freshPostgres())
  url.password = 'a-wrong-password'
  expect(await refusal({ DATABASE_URL: url.href })).toBe(
    'keyferry-server: DATABASE_URL: PostgreSQL answered: password authentication failed for user "postgres"\n',
  )
})

test.runIf(hasPostgres()).each([
  ['a database that is not there', '/not_there', 'PostgreSQL answered: database "not_there" does not exist'],
  [
    'a server without TLS',
    '?sslmode=require',
    'PostgreSQL offers no TLS: set up TLS there, or use sslmode=disable',
  ],
])('%s is named', async (_, place, says) => {
  const url = new URL(place, await freshPostgres())
  expect(await refusal({ DATABASE_URL: url.href })).toMatch(
    new RegExp(`^keyferry-server: DATABASE_URL: ${says}`),
  )
})

test.runIf(hasPostgres())('a database of another owner is refused, with what to do', async () => {
  const url = new URL(await freshPostgres())
  const name = url.pathname.slice(1)
  await administer(url.href, `create role ${name} login password $$a-word$$`)
  const foreign = Object.assign(url, { username: name, password: 'a-word' })
  const says = 'permission denied for schema public: make its user own the database'
  expect(await refusal({ DATABASE_URL: foreign.href })).toContain(says)
})

test.each(['p%word', 'p#word', 'p/word', 'p@/word', 'word@127.0.0.1:1/keyferry?sslmode=prefer#'])(
  'an address with %j is refused by the name of the setting, with what to write instead',
  async (rest) => {
    const address = rest.includes('sslmode') ? rest.slice(0, -1) : `${rest}@127.0.0.1:1/keyferry`
    const line = await refusal({ DATABASE_URL: `postgres://user:${address}` })
    expect(line).toMatch(
      /^keyferry-server: DATABASE_URL must be .* write % as %25, # as %23, .*sslmode is disable or verify-full/,
    )
    expect(line).not.toContain('word@')
  },
)

test.runIf(hasPostgres())(
  'a database in another encoding than UTF-8 is refused, and left empty',
  async () => {
    const url = new URL(await freshPostgres())
    const name = `${url.pathname.slice(1)}_ascii`
    await administer(
      url.href,
      `create database ${name} encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0`,
    )
    url.pathname = name
    expect(await refusal({ DATABASE_URL: url.href })).toBe(
      `keyferry-server: DATABASE_URL: the database has the encoding SQL_ASCII: create one with ENCODING 'UTF8' TEMPLATE template0\n`,
    )
    await administer(
      url.href,
      `do $$ begin
    if exists (select from pg_class where relname = 'users') then raise 'the refused database has tables'; end if;
  end $$`,
    )
  },
)

test.runIf(hasPostgres() && hasPgbouncer())('a start says what a pooler refuses', async () => {
  const pooler = await startPgbouncer(await freshPostgres())
  const DATABASE_URL = `${pooler.url}?options=-c%20work_mem%3D64MB`
  expect(await refusal({ DATABASE_URL })).toContain('(unsupported startup parameter: options)')
  await pooler.stop()
})

test.runIf(hasRedis())('a start says what Redis answered, without the password', async () => {
  const redis = await startRedis('--requirepass', 'the-right-password')
  expect(await refusal({ REDIS_URL: redis.url.replace('//', '//:a-wrong-password@') })).toMatch(
    /^keyferry-server: REDIS_URL: Redis does not answer or refuses the connection \(WRONGPASS [^)]*\)\n$/,
  )
  await redis.stop()
})
