import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../../e2e/start-server.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { startScriptedServer } from './scripted-server.ts'
import { formatSession, parseSession, playSession } from './session.ts'

const FOLDER = join(import.meta.dirname, 'sessions')
// UPDATE_SESSIONS=1 writes down what happens; read the difference before committing it.
const isUpdating = process.env['UPDATE_SESSIONS'] === '1'

// Many at once on a small machine.
const TIMEOUT_MS = 60_000

let realServer: Promise<RunningServer> | null = null

afterAll(async () => {
  await (await realServer)?.dispose()
})

describe.concurrent('sessions', () => {
  for (const file of readdirSync(FOLDER)) {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    const session = parseSession(text)
    test(
      `${file}: ${session.about}`,
      async () => {
        const server = await serverNamed(session.server)
        const folder = await mkdtemp(join(tmpdir(), 'keyferry-session-'))
        const played = formatSession(await playSession(session, { url: server.url, folder }))
        server.close()
        await rm(folder, { recursive: true })
        if (isUpdating) writeFileSync(join(FOLDER, file), played)
        else expect(played).toBe(text)
      },
      TIMEOUT_MS,
    )
  }
})

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
