import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../../../e2e/start-server.ts'
import { type Stage, stage } from '../../test/stage.ts'
import { EXIT } from '../base/cli-error.ts'
import { importFile, importText } from './import-file.ts'
import type { ImportOptions } from './import-options.ts'

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

function options(bundleName: string, text: string, changes: Partial<ImportOptions> = {}): ImportOptions {
  const path = join(folder, 'some.env')
  writeFileSync(path, text)
  return {
    server: server.url,
    isServerNamed: false,
    workspace: null,
    isWorkspaceFlag: false,
    folder: '/',
    path,
    dialect: 'dotenv',
    bundleName,
    how: 'import',
    flags: { secret: [], public: [] },
    choices: { own: [], share: [], replace: [] },
    isDryRun: false,
    mayUpdate: false,
    command: ['keyferry', 'import'],
    agent: null,
    reason: null,
    whyNotOpen: null,
    hidesQrCode: false,
    receiptFile: null,
    ...changes,
  }
}

/** A terminal where a person types an answer to each question. */
function terminal(answer: string): Stage & { asked: string[] } {
  const at = stage({}, folder)
  const asked: string[] = []
  const ask = (question: string) => {
    asked.push(question)
    return answer
  }
  return {
    ...at,
    asked,
    stderr: { ...at.stderr, isTerminal: true },
    keyboard: { isThere: () => true, ask, askHidden: async () => null, askUntil: async () => null },
  }
}

async function namesIn(bundleName: string): Promise<string[]> {
  const call = createClient(server.url)
  const bundles = await call('GET', '/api/v1/bundles', { query: { query: bundleName } })
  const bundle = bundles.find(({ name }) => name === bundleName)
  if (bundle === undefined) return []
  const params = { bundle_id: bundle.id }
  return (await call('GET', '/api/v1/bundles/{bundle_id}/keys', { params })).map(({ name }) => name)
}

test('on a terminal it shows the plan and asks before it writes', async () => {
  const at = terminal('y')
  await importFile(options('asks/yes', 'ASKS_A=1\n'), at)
  expect(at.asked).toEqual(['Import? [y/N] '])
  expect(at.seen.stderr).toContain('+ ASKS_A  new\n')
  expect(await namesIn('asks/yes')).toEqual(['ASKS_A'])
})

test.each(['', 'n', 'yesterday'])('the answer %j imports nothing', async (answer) => {
  const refused = importFile(options('asks/no', 'ASKS_B=1\n'), terminal(answer))
  await expect(refused).rejects.toMatchObject({ exitCode: EXIT.general, next: 'Nothing was imported.' })
  expect(await namesIn('asks/no')).toEqual([])
})

test('with --yes, and where there is nothing to write, it does not ask', async () => {
  const first = terminal('n')
  await importFile(options('asks/never', 'ASKS_C=1\n', { mayUpdate: true }), first)
  const second = terminal('n')
  await importFile(options('asks/never', 'ASKS_C=1\n'), second)
  expect([...first.asked, ...second.asked]).toEqual([])
  expect(await namesIn('asks/never')).toEqual(['ASKS_C'])
})

test('one value makes a bundle with almost the name of another only after a yes', async () => {
  await importFile(options('almost/first', 'ALMOST_A=1\n'), terminal('y'))
  const storing = options('almost/frist', '', { how: 'store', mayUpdate: true })
  const text = { entries: [{ name: 'ALMOST_B', value: '1', line: 1 }], notes: [], detach: [] }
  const no = terminal('')
  await expect(importText(storing, text, no)).rejects.toMatchObject({ next: 'Nothing was stored.' })
  expect(no.asked).toEqual([
    'The bundle almost/frist does not exist. Did you mean almost/first? Create almost/frist? [y/N] ',
  ])
  expect(await namesIn('almost/frist')).toEqual([])
  expect(await importText(storing, text, terminal('y'))).toEqual([])
  expect(await namesIn('almost/frist')).toEqual(['ALMOST_B'])
})

test('a library that changes while the person reads the plan is left as it is', async () => {
  const asked = options('asks/stale', 'ASKS_D=1\n')
  const at = terminal('y')
  const exchange: Stage['exchange'] = async (request) => {
    if (at.asked.length > 0)
      await createClient(server.url)('POST', '/api/v1/bundles', { body: { name: 'asks/stale' } })
    return await at.exchange(request)
  }
  await expect(importFile(asked, { ...at, exchange })).rejects.toMatchObject({
    message: 'the values changed after the plan was shown',
    next: 'Nothing was imported. Run the same command again.',
  })
  expect(await namesIn('asks/stale')).toEqual([])
})

test('a composed value stays, and the plan says how to replace it', async () => {
  const call = createClient(server.url)
  await importFile(options('composed/app', 'COMPOSED_HOST=db\n', { mayUpdate: true }), terminal('y'))
  const [bundle] = await call('GET', '/api/v1/bundles', { query: { query: 'composed/app' } })
  const body = { name: 'COMPOSED_URL', value: 'http://${COMPOSED_HOST}', is_template: true }
  const { id } = await call('POST', '/api/v1/keys', { body })
  const params = { bundle_id: bundle?.id ?? '', key_id: id }
  await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params, body: {} })
  const at = terminal('n')
  await importFile(options('composed/app', 'COMPOSED_URL=http://other\n'), at)
  expect(at.seen.stderr).toContain(
    'COMPOSED_URL  kept, built from COMPOSED_HOST; to use this value instead, add --replace COMPOSED_URL\n' +
      'Nothing to write: COMPOSED_URL stays a composed value\n',
  )
  const same = terminal('n')
  await importFile(options('composed/app', 'COMPOSED_URL=http://db\n'), same)
  expect(same.seen.stderr).toContain('= COMPOSED_URL  same\n')
})

/** What `unset` gives. */
const removing = (name: string) => ({ entries: [], notes: [], detach: [name] })

test('a removal shows the plan, with the values that need the name, and removes only after a yes', async () => {
  const call = createClient(server.url)
  await importFile(options('removed/app', 'REMOVED_HOST=db\n', { mayUpdate: true }), terminal('y'))
  const [bundle] = await call('GET', '/api/v1/bundles', { query: { query: 'removed/app' } })
  const body = { name: 'REMOVED_URL', value: 'http://${REMOVED_HOST}', is_template: true }
  const { id } = await call('POST', '/api/v1/keys', { body })
  const params = { bundle_id: bundle?.id ?? '', key_id: id }
  await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params, body: {} })
  const asked = options('removed/app', '', { how: 'remove' })
  const no = terminal('')
  const refused = importText(asked, removing('REMOVED_HOST'), no)
  await expect(refused).rejects.toMatchObject({ exitCode: EXIT.general, next: 'Nothing was removed.' })
  expect(no.asked).toEqual(['Remove? [y/N] '])
  expect(no.seen.stderr).toBe(
    `Remove from removed/app at ${server.url}\n` +
      '  - REMOVED_HOST  removed; its value stays stored; REMOVED_URL cannot be composed without it\n' +
      '1 removed (REMOVED_HOST)\n',
  )
  expect(await namesIn('removed/app')).toEqual(['REMOVED_HOST', 'REMOVED_URL'])
  await importText(asked, removing('REMOVED_HOST'), terminal('y'))
  expect(await namesIn('removed/app')).toEqual(['REMOVED_URL'])
})

test('a name that is gone while the person reads the plan is not removed again', async () => {
  await importFile(options('removed/stale', 'STALE_A=1\nSTALE_B=2\n', { mayUpdate: true }), terminal('y'))
  const asked = options('removed/stale', '', { how: 'remove' })
  const at = terminal('y')
  const exchange: Stage['exchange'] = async (request) => {
    if (at.asked.length > 0)
      await importText({ ...asked, mayUpdate: true }, removing('STALE_A'), stage({}, folder))
    return await at.exchange(request)
  }
  await expect(importText(asked, removing('STALE_A'), { ...at, exchange })).rejects.toMatchObject({
    next: 'Nothing was removed.',
  })
  expect(await namesIn('removed/stale')).toEqual(['STALE_B'])
})

test('each of several plans names its own bundle', async () => {
  const path = join(folder, 'other.env')
  writeFileSync(path, 'NAMED_B=1\n')
  const at = terminal('y')
  const others = [{ path, bundleName: 'named/second' }]
  await importFile(options('named/first', 'NAMED_A=1\n', { others, mayUpdate: true }), at)
  expect(at.seen.stderr).toMatch(/^Import into named\/first .*NAMED_A.*^Import into named\/second /ms)
})

test('an interrupted import says that it is whole or nothing', async () => {
  const at = stage({}, folder)
  const underWay = Promise.withResolvers<never>()
  const reached = Promise.withResolvers<void>()
  let calls = 0
  const exchange: Stage['exchange'] = async (request) => {
    calls += 1
    if (calls <= 3) return await at.exchange(request) // the session, the plan and the bundles
    reached.resolve()
    return await underWay.promise
  }
  void importFile(options('asks/cut', 'ASKS_E=1\n'), { ...at, view: 'quiet', exchange })
  await reached.promise
  for (const cleanUp of at.seen.cleanUps) await cleanUp()
  expect(at.seen.stderr).toBe(
    '\n  The server imports all of the file or nothing. Run the same command again to see which.\n',
  )
})

test.each([
  ['no JSON', '\u001b]0;owned\u0007'],
  ['half a plan', '{"plan":['],
  ['no plan', '{}'],
  ['an action it does not know', '{"plan":[{"name":"A","action":"delete"}],"plan_id":"x"}'],
])('%s is an answer that is refused', async (_what, body) => {
  const answer = { status: 200, body, retryAfterMs: null, dateMs: null, location: null }
  const parts = { ...stage({}, folder), exchange: async () => answer }
  const workspace = '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21'
  const refused = importFile({ ...options('x', 'A=1\n'), workspace, isWorkspaceFlag: true }, parts)
  await expect(refused).rejects.toMatchObject({ exitCode: EXIT.refused })
})
