import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CLIENT_PROGRAM } from '../../e2e/programs.ts'
import { eventually, until } from '../../plumbing/test/until.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts'

const RUN = {
  bundle: 'dev/app',
  keys: ['DATABASE_URL', 'PEM', 'PORT'],
  argv: ['sh', '-c', 'printenv DATABASE_URL PORT HOME; echo problem >&2; exit 3'],
  reason: 'run the migrations',
}
const WAITS = { wait: () => ({ status: 200, body: { status: 'pending' } }) }

type Agent = {
  readonly call: (wanted: object) => ReturnType<Client['callTool']>
  readonly shown: { url: string; message: string }[]
  readonly close: () => Promise<void>
  /** Of `keyferry mcp`. */
  readonly pid: number
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-mcp-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function serverThat(behaviour: Parameters<typeof startScriptedServer>[0]): Promise<ScriptedServer> {
  const server = await startScriptedServer(behaviour)
  onTestFinished(() => server.close())
  return server
}

/** An agent with the real client of the protocol; `keyferry mcp` is its child.
 * @param opens what the person does when the agent wants to open a page; null: the agent cannot */
async function agentAt(
  { url }: ScriptedServer,
  opens: 'accept' | 'decline' | null,
  mode: 'legacy' | { pin: string } = 'legacy',
  BROWSER = 'none',
): Promise<Agent> {
  const client = new Client(
    { name: 'test-agent', version: '1' },
    { capabilities: opens === null ? {} : { elicitation: { url: {} } }, versionNegotiation: { mode } },
  )
  const shown: Agent['shown'] = []
  if (opens !== null) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      shown.push({ url: 'url' in params ? params.url : '', message: params.message })
      return { action: opens }
    })
  }
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    KEYFERRY_SERVER: url,
    // The delivered value comes first.
    PORT: '1',
    BROWSER,
  }
  const args = [CLIENT_PROGRAM, 'mcp']
  const transport = new StdioClientTransport({ command: process.execPath, args, env, cwd: folder })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = (wanted: object) => client.callTool({ name: 'run', arguments: { ...wanted } })
  return { call, shown, close: () => client.close(), pid: transport.pid ?? 0 }
}

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe.each([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const)('an agent of revision %s', (_, mode) => {
  test('gets the output of the approved command, without the values', async () => {
    const server = await serverThat(BEHAVIOURS['approves long values'])
    const agent = await agentAt(server, 'accept', mode)
    const { structuredContent, isError } = await agent.call(RUN)
    expect(isError ?? false).toBe(false)
    expect(structuredContent).toEqual({
      state: 'ended',
      exit_code: 3,
      timed_out: false,
      stdout: `[keyferry:DATABASE_URL]\n8080\n${folder}\n`,
      stderr: 'problem\n',
    })
    expect(server.asked.map(({ body }) => body)).toMatchObject([
      {
        bundle_id: 'dev/app',
        template_keys: RUN.keys,
        argv: RUN.argv,
        cwd: folder,
        meta: { agent: 'test-agent', reason: RUN.reason },
      },
    ])
  })

  test('shows the page to the person; declining ends the request', async () => {
    const server = await serverThat(WAITS)
    const agent = await agentAt(server, 'decline', mode)
    expect(await agent.call(RUN)).toMatchObject({
      isError: true,
      content: [{ text: /did not open the approval page\nAsk them before you try again\.$/ }],
    })
    expect(agent.shown).toMatchObject([{ url: `${server.url}/approve/${server.asked[0]?.id}` }])
    expect(agent.shown[0]?.message).toMatch(/page must show the code [B-Z]{4}-[B-Z]{4}/)
    await eventually(() => expect(server.withdrawn).toEqual([server.asked[0]?.id]))
  })

  test('a page that sends the approval back to this computer is opened by an address of this computer', async () => {
    const server = await serverThat({ ...WAITS, ...BEHAVIOURS['demands a return over loopback'] })
    // The agent opens it, not this program.
    const agent = await agentAt(server, 'decline', mode, 'false')
    await agent.call(RUN)
    const [shown] = agent.shown
    expect(shown?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/k\/[\w-]+$/)
    expect(shown?.url).not.toContain(server.url)
    expect(shown?.message).toMatch(/If the page shows a code, it must be [B-Z]{4}-[B-Z]{4}/)
  })
})

test('an agent that cannot show a page gets the result too', async () => {
  const agent = await agentAt(await serverThat(BEHAVIOURS['approves long values']), null)
  expect((await agent.call(RUN)).structuredContent).toMatchObject({ state: 'ended', exit_code: 3 })
})

test('a denial, and commands that cannot be approved as they are', async () => {
  const server = await serverThat(BEHAVIOURS.denies)
  const agent = await agentAt(server, null)
  const refusals: [object, RegExp][] = [
    [RUN, /denied/],
    [{ ...RUN, argv: ['no-such-program'] }, /program not found/],
    [
      { ...RUN, argv: ['curl', '--token=abcdefgh'] },
      /looks like a secret.*\nLet the program read it from its env/,
    ],
    [{ ...RUN, argv: ['curl', '-u', 'sam:abcdefgh', 'https://example.com'] }, /looks like a secret/],
    [
      { ...RUN, argv: Array(65).fill('x') },
      /too long.*\nPut the command into a script file, and run that\.$/,
    ],
    [{ ...RUN, cwd: 'missing' }, /not a folder: .*\nGive a folder that exists\.$/],
    [{ ...RUN, keys: [] }, /keys/],
    [{ ...RUN, reason: ' ' }, /reason/],
    [{ ...RUN, timeout_s: 601 }, /timeout_s/],
    [{ ...RUN, environment: {} }, /environment/],
  ]
  for (const [wanted, why] of refusals) {
    expect(await agent.call(wanted)).toMatchObject({ isError: true, content: [{ text: why }] })
  }
  expect(server.asked).toHaveLength(1)
})

const echoing = (name: string) => ({ ...RUN, argv: ['echo', name] })

test('an agent can run eight commands at once, and no more', async () => {
  const agent = await agentAt(await serverThat(WAITS), null)
  for (let count = 1; count <= 8; count += 1) agent.call(echoing(`${count}`)).catch(() => undefined)
  const text = /^too many commands run at once\nWait until one of them ends\.$/
  expect(await agent.call(echoing('9'))).toMatchObject({ isError: true, content: [{ text }] })
})

test('a program that takes too long is ended, with what it started', async () => {
  const agent = await agentAt(await serverThat(BEHAVIOURS['approves long values']), null)
  const argv = ['sh', '-c', 'sleep 60 & echo $!; wait']
  const { structuredContent } = await agent.call({ ...RUN, argv, timeout_s: 1 })
  expect(structuredContent).toMatchObject({ timed_out: true, exit_code: 143 })
  const sleeping = Number((structuredContent as { stdout: string }).stdout)
  expect(sleeping).toBeGreaterThan(0)
  await eventually(() => expect(isRunning(sleeping)).toBe(false))
})

test('the end of a long output is kept', async () => {
  const agent = await agentAt(await serverThat(BEHAVIOURS['approves long values']), null)
  const { structuredContent } = await agent.call({
    ...RUN,
    argv: ['sh', '-c', 'yes x | head -c 100000; echo; echo last'],
  })
  const { stdout } = structuredContent as { stdout: string }
  expect(stdout).toMatch(/^\[34470 bytes left out\]\nx\nx\n/)
  expect(stdout.endsWith('\nlast\n')).toBe(true)
})

test('when the agent disconnects, its requests are withdrawn', async () => {
  const server = await serverThat(WAITS)
  const agent = await agentAt(server, null)
  agent.call(RUN).catch(() => undefined)
  await eventually(() => expect(server.waits.length).toBeGreaterThan(0))
  await agent.close()
  await eventually(() => expect(server.withdrawn).toHaveLength(1))
})

const STUBBORN = 'trap "" TERM; sleep 60 & echo $! $$ > pids; while :; do wait; done'

test.each([
  ['the agent disconnects', (agent: Agent) => void agent.close()],
  ['SIGTERM ends keyferry mcp', ({ pid }: Agent) => void process.kill(pid, 'SIGTERM')],
  ['SIGKILL ends keyferry mcp', ({ pid }: Agent) => void process.kill(pid, 'SIGKILL')],
])('when %s, its programs are ended, even those that ignore SIGTERM', async (_, end) => {
  const agent = await agentAt(await serverThat(BEHAVIOURS['approves long values']), null)
  const mark = join(folder, 'pids')
  rmSync(mark, { force: true })
  agent.call({ ...RUN, argv: ['sh', '-c', STUBBORN] }).catch(() => undefined)
  const pids = await until('two ids', () => {
    const [child, parent] = existsSync(mark) ? readFileSync(mark, 'utf8').trim().split(' ').map(Number) : []
    return child && parent ? [child, parent] : null
  })
  end(agent)
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]))
})
