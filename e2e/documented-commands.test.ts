import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, commandsWithin, ROOT, readDocument } from './documents.ts'

const HANDBOOK = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']

/** Every way in which the tests run a command of the documents. The first test fails if no test runs a command. */
const WAYS: readonly { commands: RegExp; run?: (command: string) => Promise<void> | void }[] = [
  // The documents' own test runs these, in a folder with an `.env`, and approves what they ask for.
  { commands: /^(npm run install-client$|(eval "\$\(|printf \d+ \| )?keyferry (import|run|pull|set) )/ },
  // `e2e/fresh-clone.test.ts` runs this.
  { commands: /^curl \S+ http:\/\/127\.0\.0\.1:5393\/install\.sh \| sh$/ },
  {
    commands: /^npm (ci|test|run build|run check|run test:all|run test:programs(?: trials)?)$/,
    run: isRunByCi,
  },
  { commands: /^([A-Z_]+=\S+ )*npm start$/, run: starts },
  { commands: /^npm run dev( -- --seed)?$/, run: starts },
  { commands: /^npm run test:fast$/, run: runsOneFile },
  { commands: /^npm run test:watch$/, run: findsTests },
  { commands: /^npm run faults -- \w+$/, run: isATrial },
  { commands: /^npm test -- contract\/src\/api-page -u$/, run: leavesTheApiPageAlone },
  { commands: /^npm test -- \S+$/, run: findsTests },
  { commands: /^npm test -- \S+ -t 'its name'$/, run: runsOneTest },
  {
    commands: /^(KEEP_DATABASES=1 npm test -- \S+ -t '.+'|UPDATE_WORDS=1 npm test -- --mode trials \S+)$/,
    run: namesTests,
  },
  { commands: /^npm run screenshots$/, run: takesScreenshots },
]

const VITEST = 'node launch.cjs node_modules/vitest/vitest.mjs'

/** A text between backquotes that names a program. */
const NAMES = new Set(['', 'npm run'])

const commands = [
  ...new Set(
    HANDBOOK.flatMap((document) => [...commandsOf(document), ...commandsWithin(document)])
      .flatMap((line) => line.split(' && '))
      .filter((command) => !NAMES.has(command)),
  ),
]

test('every command of the handbook is run in one of the ways', () => {
  expect(commands.length).toBeGreaterThan(12)
  expect(commands.filter((command) => !WAYS.some((way) => way.commands.test(command)))).toEqual([])
})

for (const command of commands) {
  const run = WAYS.find((way) => way.commands.test(command))?.run
  if (run) test(command, async () => run(command))
}

// The variables by which this run of the tests knows itself would tell a run within it that it is a part.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^VITEST|^TEST$/.test(name)))

function ran(command: string): string {
  const shell = spawnSync('sh', ['-c', command], { cwd: ROOT, env, encoding: 'utf8' })
  expect(`${shell.status}: ${shell.stderr}`).toMatch(/^0:/)
  return shell.stdout
}

function isRunByCi(command: string): void {
  const { scripts } = JSON.parse(readDocument('package.json'))
  const written = [command, scripts[command.replace('npm run ', '')]]
  const lines = ['.ci/run', 'test/all.sh', '.github/workflows/release.yaml']
    .flatMap((file) => readDocument(file).split('\n'))
    .map((line) => line.replace(/^( +- run: )?([A-Z]+=\S+ )*(exec )?/, '').replace(' --silent', ''))
  expect(lines.some((line) => written.includes(line.replace(/ &$/, '')))).toBe(true)
}

async function starts(command: string): Promise<void> {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'keyferry-start-')), 'data')
  const changed = command.replace(/DATA_DIR=\S+/, `DATA_DIR=${dataDir}`).replace(/PORT=\d+/, 'PORT=0')
  const shell = spawn('sh', ['-c', changed], {
    cwd: ROOT,
    env: { ...env, DATA_DIR: dataDir, PORT: '0' },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(shell, 'close')
  let output = ''
  for await (const chunk of shell.stdout.setEncoding('utf8')) {
    output += chunk
    if (/Listens\s+http:\/\/127\.0\.0\.1:\d+/.test(output)) break
  }
  expect(output).toContain('Listens')
  expect(existsSync(dataDir)).toBe(true)
  // npm, its shell and the server are one group.
  if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM')
  await closed
}

function leavesTheApiPageAlone(command: string): void {
  const before = readDocument('docs/api.md')
  expect(ran(command)).toMatch(/[1-9]\d* passed, 0 failed/)
  expect(readDocument('docs/api.md')).toBe(before)
}

// It would write files of the repository, so this only looks its tests up.
function namesTests(command: string): void {
  const list = command.includes(' -t ') ? 'list' : 'list --filesOnly'
  expect(ran(command.replace('npm test --', `${VITEST} ${list}`))).toContain('.test.ts')
}

function findsTests(command: string): void {
  const selected = command.replace('npm test -- ', '').replace('npm run test:watch', '--mode fast')
  const listed = ran(`${VITEST} list --filesOnly ${selected}`)
  expect(listed.split('\n').length).toBeGreaterThan(3)
}

function runsOneFile(command: string): void {
  expect(ran(`${command} -- contract/src/endpoints.test.ts`)).toMatch(/[1-9]\d* passed, 0 failed/)
}

let trials: string[] | undefined

// A trial takes minutes, so this only looks it up.
function isATrial(command: string): void {
  const name = command.split(' ').at(-1) ?? ''
  const help = command.replace(name, '--help')
  trials ??= /Names: (.*)/
    .exec(spawnSync('sh', ['-c', help], { cwd: ROOT, env, encoding: 'utf8' }).stderr)?.[1]
    ?.split(/\W+/)
  expect(trials).toContain(name)
}

// In one file: the whole folder takes longest to load.
function runsOneTest(command: string): void {
  const name = 'a wait is woken by the approval'
  const one = command
    .replace('its name', name)
    .replace(/ -- \S+/, '$&/src/domain/collection/request-wait.test.ts')
  expect(ran(one)).toMatch(/\b1 passed/)
}

function takesScreenshots(command: string): void {
  expect(ran(`${command} -- import-preview`)).toContain('import-preview')
}
