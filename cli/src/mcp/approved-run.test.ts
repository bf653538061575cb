import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Behaviour, createdAnswer, startScriptedServer } from '../../test/scripted-server.ts'
import { stage } from '../../test/stage.ts'
import { ApprovedRun, type WantedRun } from './approved-run.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-approved-run-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const WANTED: WantedRun = {
  bundle: 'dev/app',
  keys: ['GREETING'],
  argv: ['sleep', '60'],
  reason: 'run the migrations',
  cwd: '.',
  timeoutS: 120,
}

const waits = (needs: object): Behaviour => ({
  create: (asked) => ({ body: { ...createdAnswer(asked).body, interval: 60, assurance: 'bound' } }),
  wait: () => ({ body: { status: 'pending', ...needs } }),
})

async function runAt(behaviour: Behaviour, wanted: Partial<WantedRun> = {}) {
  const server = await startScriptedServer({ values: { GREETING: 'a long secret value' }, ...behaviour })
  const env = { PATH: process.env['PATH'], XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder, OWN: 'kept' }
  const scene = stage(env, folder)
  // One look at the request is enough.
  const parts = { ...scene, clock: { ...scene.clock, sleep: () => new Promise<never>(() => undefined) } }
  const host = { server: server.url, workspace: null, isWorkspaceFlag: false, folder, parts, openLink: null }
  const run = new ApprovedRun({ ...WANTED, ...wanted }, { ...host, agent: 'helper' })
  run.ended.catch(() => undefined)
  onTestFinished(async () => {
    await run.cancel()
    server.close()
  })
  return { run, parts, server }
}

const CODE_NEEDED = new RegExp(
  [
    '^approved: the person has to run "keyferry release \\w{32} CODE"',
    'in a terminal on this machine, with the code from the page$',
  ].join(' '),
)

test.each<[string, Behaviour, RegExp]>([
  ['a person', waits({}), /^waiting for a person to approve$/],
  [
    'another person',
    waits({ needs: 'approver', deciders: { who: 'owner', count: 2 } }),
    /^waiting for another person who may approve$/,
  ],
  ['a second person', waits({ needs: 'second_person' }), /^waiting for a second person to approve$/],
  ['the code', waits({ needs: 'release', release_by: 'code' }), CODE_NEEDED],
  ['the end of the program', {}, /^the program runs$/],
])('it says that it waits for %s', async (_, behaviour, state) => {
  const { run } = await runAt(behaviour)
  expect(run.state).toBe('requesting the values')
  await expect.poll(() => run.state).toMatch(state)
})

test('the approver sees the command, its reason and its agent, and how it is used', async () => {
  const { run, parts, server } = await runAt({}, { argv: ['printenv', 'OWN', 'GREETING'] })
  expect(await run.ended).toMatchObject({ exitCode: 0, stdout: { text: 'kept\n[keyferry:GREETING]\n' } })
  expect(server.asked.map(({ body }) => body)).toMatchObject([
    {
      bundle_id: 'dev/app',
      template_keys: ['GREETING'],
      argv: ['printenv', 'OWN', 'GREETING'],
      cwd: folder,
      use: { redaction: 'always', flags: ['mcp'] },
      meta: { agent: 'helper', reason: 'run the migrations', via: 'run' },
    },
  ])
  expect(server.asked[0]?.body).toHaveProperty('device')
  expect(run.approval).toMatchObject({
    link: `${server.url}/approve/${server.asked[0]?.id}`,
    isReturned: false,
  })
  expect([parts.seen.stderr, parts.seen.cleanUps.size]).toEqual(['', 0])
})
