import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LIST_BEHAVIOURS } from '../../test/list-behaviours.ts'
import { type ScriptedServer, startScriptedServer } from '../../test/scripted-server.ts'
import { type Stage, stage } from '../../test/stage.ts'
import type { Parts } from '../base/parts.ts'
import { listWithApproval } from './list-with-approval.ts'

let server: ScriptedServer
let scene: Stage
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-list-'))
  scene = stage({}, folder)
})

afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const list = (bundle: string, workspace: string | null = null, parts: Parts = scene) => {
  const command = ['keyferry', 'ls', bundle]
  const options = {
    server: server.url,
    bundle,
    workspace,
    isWorkspaceFlag: false,
    folder: '/',
    command,
    agent: null,
    reason: null,
  } as const
  return listWithApproval(
    { ...options, receiptFile: null, whyNotOpen: 'no', hidesQrCode: true },
    { ...parts, view: 'quiet' },
  )
}

test('the request says that it is for names, and how the approval can return', async () => {
  server = await startScriptedServer(LIST_BEHAVIOURS['lists names'])
  expect((await list('dev/app')).names.map(({ name }) => name)).toEqual(['DATABASE_URL', 'PORT'])
  expect(server.asked[0]?.body).toMatchObject({
    kind: 'names',
    bundle_id: 'dev/app',
    argv: ['keyferry', 'ls', 'dev/app'],
    release: ['code'],
    poll_challenge: expect.any(String),
  })
  expect(server.asked[0]?.body).not.toHaveProperty('device')
})

test('a name is required only where the server says so', async () => {
  server = await startScriptedServer(LIST_BEHAVIOURS['lists a hostile name'])
  const name = '\u001b[2JA'
  expect((await list('dev/app')).names).toEqual([{ id: null, name, isSecret: true, required: false }])
})

test('a request whose kind the server ignores is withdrawn before a person sees it', async () => {
  server = await startScriptedServer(LIST_BEHAVIOURS['ignores the kind of a request'])
  await expect(list('dev/app')).rejects.toThrow('does not know this kind of request')
  expect(server.withdrawn).toEqual([server.asked[0]?.id])
  expect(scene.seen.stderr).toBe('')
})

test('the code of the page brings the approval back', async () => {
  server = await startScriptedServer(LIST_BEHAVIOURS['lists names by code'])
  const listing = list('dev/app')
  await expect.poll(() => scene.seen.stderr).toContain('keyferry release')
  const id = server.asked[0]?.id ?? ''
  const address = `${server.url}/api/v1/requests/${id}/release`
  await fetch(address, { method: 'POST', body: JSON.stringify({ secret: '482913' }) })
  expect((await listing).bundle.name).toBe('dev/app')
})

test('the workspace is asked about when no other question reads the keyboard', async () => {
  server = await startScriptedServer(LIST_BEHAVIOURS['lists names by code'])
  const reading = new Set<string>()
  const together: string[][] = []
  const askUntil = async (question: string, ended: AbortSignal) => {
    reading.add(question.trim())
    together.push([...reading])
    if (question.includes('[y/N]')) return 'y'
    return await new Promise<null>((resolve) => {
      ended.addEventListener('abort', () => {
        reading.delete(question.trim())
        resolve(null)
      })
    })
  }
  const keyboard = { ...scene.keyboard, isThere: () => true, askUntil }
  const stderr = { ...scene.stderr, isTerminal: true }
  const listing = list('dev/app', 'Acme', { ...scene, env: { XDG_STATE_HOME: folder }, keyboard, stderr })
  await expect.poll(() => together).toHaveLength(1)
  const address = `${server.url}/api/v1/requests/${server.asked[0]?.id}/release`
  await fetch(address, { method: 'POST', body: JSON.stringify({ secret: '482913' }) })
  await listing
  expect(together).toEqual([['Then type the six digits from the page:'], ['Use this workspace? [y/N]']])
})
