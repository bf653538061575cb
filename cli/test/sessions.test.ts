import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../../e2e/start-server.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { startScriptedServer } from './scripted-server.ts'
import { formatSessionFile, parseSessionFile, playSession, type Session } from './session.ts'

const FOLDER = join(import.meta.dirname, 'sessions')
// UPDATE_SESSIONS=1 writes down what happens; read the difference before committing it.
const isUpdating = process.env['UPDATE_SESSIONS'] === '1'

const files = readdirSync(FOLDER).map((name) => {
  const path = join(FOLDER, name)
  const text = readFileSync(path, 'utf8')
  return { name, path, text, ...parseSessionFile(text) }
})
const played = new Map<Session, Session>()
let realServer: Promise<RunningServer> | null = null

afterAll(async () => {
  await (await realServer)?.dispose()
  for (const { path, title, sessions } of isUpdating ? files : []) {
    const latest = sessions.map((session) => played.get(session) ?? session)
    writeFileSync(path, formatSessionFile({ title, sessions: latest }))
  }
})

test.each(files)('$name is written in the form that an update writes', ({ text, title, sessions }) => {
  expect(formatSessionFile({ title, sessions })).toBe(text)
})

describe.concurrent('sessions', () => {
  for (const { name, sessions } of files) {
    for (const session of sessions) {
      test(`${name}: ${session.about}`, async () => {
        const result = await play(session)
        played.set(session, result)
        if (!isUpdating) expect(result).toEqual(session)
      })
    }
  }
})

async function play(session: Session): Promise<Session> {
  const server = await serverNamed(session.server)
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-session-'))
  try {
    return await playSession(session, { url: server.url, folder })
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
}

async function serverNamed(name: string): Promise<{ url: string; close: () => void }> {
  if (name === 'none') return { url: 'http://127.0.0.1:1', close: () => undefined }
  if (name === 'real') {
    realServer ??= startServer()
    return { url: (await realServer).url, close: () => undefined }
  }
  const behaviour = Object.entries(BEHAVIOURS).find(([known]) => known === name)?.[1]
  if (behaviour === undefined) throw new Error(`no server is called ${name}`)
  return await startScriptedServer(behaviour)
}
