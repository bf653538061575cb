import { randomUUID } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiEndpointName, apiEndpoints, ErrorBody, type ErrorCode } from '@keyferry/contract'
import type { Answer } from '@keyferry/contract/client'
import { expect } from 'vitest'
import type { z } from 'zod'
import { copyOfPostgres, freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { until } from '../../plumbing/test/until.ts'
import { type ApiSettings, migrate, type StartOptions, startApi } from '../src/main.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { problemOfAnswer } from './documented-answer.ts'
import { oneConnection } from './one-connection.ts'
import { renamedAnswer, renamedCall } from './renaming.ts'
import { type Identity, layerHeaders, signedHeaders, testSettings } from './test-settings.ts'

export {
  type Identity,
  layerHeaders,
  SECRET,
  SETUP_CODE,
  signedHeaders,
  testSettings,
} from './test-settings.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/** Both databases, for what differs between them: SQL, locks, races, migrations, isolation. `DATABASES=sqlite` leaves
 * PostgreSQL out. */
export const databases: readonly DatabaseKind[] =
  process.env['DATABASES'] !== 'sqlite' && hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite']

/** For behaviour that does not depend on the database: SQLite; `npm run faults -- trials` runs it on PostgreSQL. */
export const oneDatabase: readonly DatabaseKind[] =
  process.env['TRIALS'] !== undefined && hasPostgres() ? ['postgres'] : ['sqlite']

type Failure = { error: string; code: string; details?: Record<string, unknown> }

export type Answered<Body = unknown> = {
  status: number
  headers: Headers
  text: string
  /** Valid by the table's schema for an answer of success; a failure's body is in `failure`. */
  json: Body
  failure: Failure | null
}

type AnsweredBy<N extends ApiEndpointName> = Answered<Answer<(typeof apiEndpoints)[N]>>

export type CallParts = {
  as?: Identity | undefined
  params?: Record<string, string>
  /** Pairs can name a parameter several times. */
  query?: Record<string, string> | [name: string, value: string][]
  body?: unknown
  headers?: Record<string, string>
}

export type TestApi = {
  address: string
  settings: ApiSettings
  /** Everything that was logged. */
  log: () => string
  /** Call an endpoint of the table, signed if `as` is given. The answer must match the table's schema. */
  call<N extends ApiEndpointName>(name: N, parts?: CallParts): Promise<AnsweredBy<N>>
  /** A new person, who owns a new workspace. */
  newOwner(): Promise<Identity>
  /** How many calls wait now. */
  waitingCalls(): number
  /** Resolves once exactly this many calls wait. */
  untilWaiting(calls?: number): Promise<void>
  /** Look for what is overdue. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** A running API on a fresh database of the kind. */
export async function startTestApi(
  kind: DatabaseKind,
  changes: Partial<ApiSettings> & Omit<StartOptions, 'logTo'> = {},
): Promise<TestApi> {
  const { now, upSeconds, sweepSeconds, aroundRequests, aroundDatabase, ...settingChanges } = changes
  const databaseUrl =
    kind === 'postgres' && settingChanges.databaseUrl === undefined ? await migratedPostgres() : null
  const settings = testSettings({ databaseUrl, ...settingChanges })
  if (settings.databaseUrl === null && settingChanges.dataDir === undefined)
    copyFileSync(await migratedSqlite(), join(settings.dataDir, SQLITE_FILE))
  const lines: string[] = []
  const logTo = { write: (line: string) => void lines.push(line) }
  const running = await startApi(settings, {
    logTo,
    ...(now ? { now } : {}),
    ...(upSeconds ? { upSeconds } : {}),
    ...(sweepSeconds === undefined ? {} : { sweepSeconds }),
    ...(aroundRequests ? { aroundRequests } : {}),
    aroundDatabase: (database) => oneConnection(aroundDatabase?.(database) ?? database),
  })
  const call = callsTo(running.address, now)
  return {
    address: running.address,
    settings,
    log: () => lines.join(''),
    call,
    newOwner: async () => newOwner(call),
    waitingCalls: () => running.waitingCalls(),
    untilWaiting: async (calls = 1) => {
      await until('waiting calls', () => running.waitingCalls() === calls)
    },
    sweep: () => running.sweep(),
    close: () => running.close(),
  }
}

let migrated: Promise<string> | undefined

// The migrations run once in a worker, and each API gets a copy of their result.
async function migratedPostgres(): Promise<string> {
  migrated ??= freshPostgres().then(async (databaseUrl) => {
    await migrate(testSettings({ databaseUrl }))
    return databaseUrl
  })
  return await copyOfPostgres(await migrated)
}

const SQLITE_FILE = 'keyferry.db'

/** A second connection to the database of an API. */
export const openDatabaseOf = ({ settings }: TestApi) =>
  openDatabase(settings.databaseUrl ?? join(settings.dataDir, SQLITE_FILE))

let migratedFile: Promise<string> | undefined

async function migratedSqlite(): Promise<string> {
  migratedFile ??= (async () => {
    const settings = testSettings()
    await migrate(settings)
    return join(settings.dataDir, SQLITE_FILE)
  })()
  return await migratedFile
}

/** Calls an API at an address, as the web-facing layer does: this layer signs the calls that provision users. */
export function callsTo(address: string, now?: () => Date): TestApi['call'] {
  return (name, parts = {}) => {
    if (name !== 'ensureUser' || parts.as || parts.headers) return callEndpoint(address, name, parts)
    const { method, path } = apiEndpoints.ensureUser
    const headers = layerHeaders(method, path, parts.body, now?.())
    return callEndpoint(address, name, { ...parts, headers })
  }
}

async function newOwner(call: TestApi['call']): Promise<Identity> {
  const name = randomUUID()
  const { json } = await call('ensureUser', {
    body: { idp_user_id: `user_${name}`, email: `${name}@example.com`, email_verified: true },
  })
  return { userId: json.user_id, tenantId: json.tenant_id }
}

async function callEndpoint<N extends ApiEndpointName>(
  address: string,
  name: N,
  asked: CallParts,
): Promise<AnsweredBy<N>> {
  const parts = renamedCall(name, asked)
  const { method, path } = apiEndpoints[name]
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) =>
    encodeURIComponent(parts.params?.[param] ?? ''),
  )
  const search = new URLSearchParams(parts.query).toString()
  const response = await fetch(`${address}${filled}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: {
      ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(parts.as ? signedHeaders(parts.as) : {}),
      ...parts.headers,
    },
    ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
  })
  const text = renamedAnswer(name, asked, await response.text())
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  return answered(name, response, isJson ? JSON.parse(text) : text, text)
}

function answered<N extends ApiEndpointName>(
  name: N,
  response: Response,
  json: unknown,
  text: string,
): AnsweredBy<N> {
  const { status, headers } = response
  const responses: Readonly<Record<number, z.ZodType>> = apiEndpoints[name].responses
  const schema = responses[status] ?? ErrorBody
  expect(schema.safeParse(json).error, `${name} ${status}`).toBeUndefined()
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';')
  expect(problemOfAnswer(name, { status, mediaType, body: json }), `${name} ${status}`).toBeNull()
  const failure = status in responses ? null : ErrorBody.parse(json)
  if (failure) expect(failure.error, `${name} ${status} says what is wrong`).toMatch(SENTENCE)
  return { status, headers, text, json: json as AnsweredBy<N>['json'], failure: failure as Failure | null }
}

// No part of it is missing.
const SENTENCE = /^(?=.{8})[^\s:](?!.*(: \.|: ?$| {2})).*\S$/s

/** Compare an answer with a status and an error's text and code. */
export function expectError(answer: Answered, status: number, error: string, code?: ErrorCode): void {
  expect({ status: answer.status, error: answer.failure?.error }).toEqual({ status, error })
  if (code !== undefined) expect(answer.failure?.code).toBe(code)
}

/** The newest line of the log with this message. */
export function logLine(api: TestApi, message: string): unknown {
  const lines = api.log().trim().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === message)
}
