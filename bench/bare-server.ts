import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'
import { Pool } from 'pg'

// A baseline to compare with: only the framework and the database client, with the settings that make a write
// durable, and none of the work that a request is about. Run as `node bench/bare-server.ts SQLITE_FILE|postgres://…`.

type Statements = {
  insert: (id: string, name: string, value: string) => unknown
}

const TABLE = 'create table if not exists bare (id text primary key, name text not null, value text not null)'

const place = process.argv[2] ?? ':memory:'
const statements = place.startsWith('postgres:') ? await onPostgres(place) : onSqlite(place)
const app = Fastify()

app.get('/healthz', async () => ({ status: 'ok' }))
app.post<{ Body: { name: string; value: string } }>('/rows', async (request, reply) => {
  const id = randomUUID()
  await statements.insert(id, request.body.name, request.body.value)
  return reply.code(201).send({ id, name: request.body.name })
})

process.stdout.write(`Listens   ${await app.listen({ host: '127.0.0.1', port: 0 })}\nCtrl-C\n`)

function onSqlite(path: string): Statements {
  const file = new DatabaseSync(path)
  file.exec('pragma journal_mode = wal; pragma synchronous = full')
  file.exec(TABLE)
  const insert = file.prepare('insert into bare (id, name, value) values (?, ?, ?)')
  return { insert: (...row) => insert.run(...row) }
}

async function onPostgres(url: string): Promise<Statements> {
  const pool = new Pool({ connectionString: url, max: 12 })
  await pool.query(TABLE)
  const insert = { name: 'insert', text: 'insert into bare (id, name, value) values ($1, $2, $3)' }
  return {
    insert: (...row) => pool.query({ ...insert, values: row }),
  }
}
