import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../../../e2e/start-server.ts'
import { type Stage, stage } from '../../test/stage.ts'
import { type ImportOptions, importFile } from './import-file.ts'

let server: RunningServer
let folder: string
beforeAll(async () => {
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'keyferry-import-'))
})
afterAll(async () => {
  await server.dispose()
  rmSync(folder, { recursive: true })
})

// One bundle, then a key and its attachment for each of three variables.
const WRITES = [1, 2, 3, 4, 5, 6, 7]

function options(mark: string, changes: Partial<ImportOptions> = {}): ImportOptions {
  const path = join(folder, `${mark}.env`)
  writeFileSync(path, ['C', 'A', 'B'].map((name) => `${mark}_${name}=value of ${name}\n`).join(''))
  return {
    server: server.url,
    isServerNamed: false,
    path,
    dialect: 'dotenv',
    workspaceId: null,
    bundleName: `import/${mark}`,
    flags: { secret: [], public: [`${mark}_A`] },
    mayOverwrite: false,
    view: 'quiet',
    ...changes,
  }
}

test('an import that the server limits waits as told, says so, and goes on', async () => {
  const scene = stage({}, folder)
  let calls = 0
  const exchange: Stage['exchange'] = async (request) => {
    const answer = await scene.exchange(request)
    return ++calls === 2 ? { ...answer, status: 429, retryAfterMs: 1_000 } : answer
  }
  expect(await importFile(options('LIMITED'), { ...scene, exchange })).toBe(0)
  expect(scene.seen.stderr).toContain('the server asks to wait 1 s')
})

/** An import that a signal ends while its n-th write is under way, before or after the server has seen that one. */
async function interrupted(asked: ImportOptions, at: number, isSeen: boolean): Promise<Stage> {
  const scene = stage({}, folder)
  const underWay = Promise.withResolvers<never>()
  const reached = Promise.withResolvers<void>()
  let writes = 0
  const exchange: Stage['exchange'] = async (request) => {
    if (request.method !== 'GET') writes += 1
    const isLast = request.method !== 'GET' && writes === at
    if (!isLast || isSeen) {
      const answer = await scene.exchange(request)
      if (!isLast) return answer
    }
    reached.resolve()
    return await underWay.promise
  }
  void importFile(asked, { ...scene, exchange })
  await reached.promise
  for (const cleanUp of scene.seen.cleanUps) await cleanUp()
  return scene
}

async function keysOf(bundleName: string) {
  const call = createClient(server.url)
  const bundles = await call('GET', '/api/v1/bundles', { query: { query: bundleName } })
  const bundle = bundles.find(({ name }) => name === bundleName)
  return await call('GET', '/api/v1/bundles/{bundle_id}/keys', { params: { bundle_id: bundle?.id ?? '' } })
}

describe.each([false, true])(
  'an import that is interrupted in the middle of a write (seen: %s)',
  (isSeen) => {
    test.each(WRITES)('number %i is finished by the same command, in the order of the file', async (at) => {
      const mark = `W${at}${isSeen ? 'SEEN' : 'LOST'}`
      await interrupted(options(mark), at, isSeen)
      expect(await importFile(options(mark, { mayOverwrite: true }), stage({}, folder))).toBe(0)
      expect(await keysOf(`import/${mark}`)).toMatchObject([
        { name: `${mark}_C`, is_secret: true, order: 0 },
        { name: `${mark}_A`, is_secret: false, value: 'value of A', order: 1 },
        { name: `${mark}_B`, is_secret: true, order: 2 },
      ])
    })
  },
)

test('it says what is done, what is under way and what is not, and how to go on', async () => {
  const { seen } = await interrupted(options('SAYS'), 4, true)
  expect(seen.stderr).toBe(
    `\n  Done: bundle import/SAYS, SAYS_C. Under way: SAYS_A. Not done: SAYS_B.\n` +
      '  The same command does the rest, and asks before it overwrites what is done.\n',
  )
})

test('with --yes it will not ask', async () => {
  const { seen } = await interrupted(options('YES', { mayOverwrite: true }), 1, true)
  expect(seen.stderr).toMatch(/Not done: YES_C, YES_A, YES_B\.\n {2}The same command does the rest\.\n$/)
})

test('a machine is told by an object of its own', async () => {
  const { seen } = await interrupted(options('JSON', { view: 'json' }), 4, true)
  const events = seen.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.at(-1)).toEqual({
    event: 'partly_imported',
    bundle: 'import/JSON',
    done: ['bundle import/JSON', 'JSON_C'],
    left: ['JSON_A', 'JSON_B'],
  })
})
