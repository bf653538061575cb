import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runApproved } from './approved-line.ts'
import { commandsOf, ROOT, readDocument } from './documents.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const DOCUMENTS = globSync(['*.md', '{docs,deploy}/**/*.md', '{release,vectors}/*.md'], {
  cwd: ROOT,
}).toSorted()

test.each(DOCUMENTS)('every link of %s leads somewhere', (document) => {
  const targets = [...readDocument(document).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(
    ([, target = '']) => target,
  )
  const dead = targets.filter(
    (target) => !/^https?:/.test(target) && !existsSync(join(ROOT, dirname(document), target)),
  )
  expect(dead).toEqual([])
})

const slugOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

const headingsOf = (document: string) =>
  [...readDocument(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slugOf(heading))

test.each(DOCUMENTS)('every link of %s to a heading leads to one', (document) => {
  const links = [...readDocument(document).matchAll(/\]\(([\w./-]*)#([^)]+)\)/g)]
  const dead = links.filter(([, target = '', heading = '']) => {
    const page = target === '' ? document : join(dirname(document), target)
    return page.endsWith('.md') && !headingsOf(page).includes(heading)
  })
  expect(dead.map(([link]) => link)).toEqual([])
})

/** The lines of a document that a person wraps: no blocks, tables and headings, no row of the list of tests, and no
 * link that fills its line and has no blank to break it at. */
function proseOf(document: string): string[] {
  const lines = readDocument(document)
    .replaceAll(/^ *```.*?^ *```/gms, '')
    .split('\n')
  return lines.filter((line) => !/^ *(?:[|#]|- \[\S+\]\(\S+\) “.*”$|\S+$)/.test(line))
}

test.each(DOCUMENTS)('the lines of %s are at most 120 columns wide', (document) => {
  expect(proseOf(document).filter((line) => line.length > 120)).toEqual([])
})

// A signature says that a key was used, not what a person read, nor what the key is.
const CLAIMS =
  /proves that a (?:human|person) decided|hardware-backed|cannot be approved by an agent|phishing-resistant/i

test.each(DOCUMENTS)('%s claims no more of approvals than is true', (document) => {
  expect(CLAIMS.exec(readDocument(document))).toBeNull()
})

test('the README is one screen and a half: at most 500 words', () => {
  const words = readDocument('README.md')
    .replaceAll(/\]\(.*?\)/g, ']')
    .match(/\S*\w\S*/g)
  expect(words?.length).toBeLessThanOrEqual(500)
})

test.each(
  'vscode|debugger|rollback|offboarding|google|csp|core dump|swap|idempotent|terraform|multiline|monorepo'.split(
    '|',
  ),
)('a reader who searches for %s finds a page', (word) => {
  // The search of the site reads no name of a file after a fence.
  const pages = globSync('docs/*.md', { cwd: ROOT }).map((page) =>
    readDocument(page)
      .replaceAll(/^ *```.*$/gm, '')
      .toLowerCase(),
  )
  expect(pages.some((page) => page.includes(word))).toBe(true)
})

test('what a person downloads says how to check its checksums, its signature and its build', () => {
  const release = readDocument('release/README.md')
  for (const check of ['sha256sum --check', 'minisign -V', 'npm run release'])
    expect(release).toContain(check)
  expect(readDocument('.github/workflows/release.yaml')).toContain(
    'release/README.md > "$RUNNER_TEMP/notes.md"',
  )
  expect(readDocument('CHANGELOG.md')).toContain(`## ${JSON.parse(readDocument('package.json')).version}`)
})

test('the list of the documents has five groups, and every page once', () => {
  const list = readDocument('docs/README.md')
  expect([...list.matchAll(/^## (.*)$/gm)].map(([, group]) => group)).toEqual([
    'Use',
    'Run',
    'Trust',
    'API',
    'Contribute',
  ])
  const pages = globSync('*.md', { cwd: join(ROOT, 'docs') }).filter((page) => page !== 'README.md')
  const linked = [...list.matchAll(/^\| \[.*?\]\((\w[\w-]*\.md)\)/gm)].map(([, page = '']) => page)
  expect(linked.toSorted()).toEqual(pages.toSorted())
})

const DECISIONS = DOCUMENTS.filter((document) => document.startsWith('docs/decisions/'))

test('the decisions have at most 8,000 words', () => {
  const words = DECISIONS.flatMap((document) => readDocument(document).trim().split(/\s+/))
  expect(words.length).toBeLessThanOrEqual(8_000)
})

test('the list of the decisions has the title, date and state of each page', () => {
  const pages = DECISIONS.filter((document) => document !== 'docs/decisions/README.md')
  const rows = pages.map((page) => {
    const [, title, date, state] =
      /^# (.*)\n\n(\d{4}-\d\d-\d\d), (stands|amended|replaced by \d{4})/.exec(readDocument(page)) ?? []
    const file = basename(page)
    return `| [${file.slice(0, 4)}](${file}) ${title} | ${date} | ${state} |`
  })
  expect(readDocument('docs/decisions/README.md').match(/^\| \[.*$/gm)).toEqual(rows)
})

const scriptsOf = (workspace: string): Record<string, string> =>
  JSON.parse(readDocument(join(workspace, 'package.json'))).scripts

test.each(DOCUMENTS)('every npm script that %s names exists', (document) => {
  const named = [...readDocument(document).matchAll(/\bnpm run ([a-z:-]+)(?: (?:-w|--workspace) ([a-z]+))?/g)]
  const unknown = named.filter(([, name = '', workspace = '.']) => !(name in scriptsOf(workspace)))
  expect(unknown.map(([command]) => command)).toEqual([])
})

test('the security checklist names tests that exist', () => {
  const named = [...readDocument('docs/security-checklist.md').matchAll(/\[(\S+)\]\(\S+\)(?: “(.+)”)?$/gm)]
  expect(named.length).toBeGreaterThan(40)
  expect(
    named.filter(([, file = '', title = '']) => !readDocument(file).includes(title)).map(([line]) => line),
  ).toEqual([])
})

const PROMISES: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readDocument('e2e/promises.json'),
)

/** Why a sentence has no test. */
const NOT_TESTED = ['advice', 'a remaining risk', 'measured', 'explains']

const VERBS = /\b(never|refuses?|always|only|within|at most|useless|unusable)\b/i

/** The pages of the groups Run and Trust, but the list of tests. */
const PROMISING = [...readDocument('docs/README.md').matchAll(/^## (Run|Trust)\n(.*?)(?=^## )/gms)]
  .flatMap(([, , rows = '']) => [...rows.matchAll(/^\| \[.*?\]\((.+?)\)/gm)])
  .map(([, page = '']) => join('docs', page))
  .filter((page) => page !== 'docs/security-checklist.md')

/** The sentences of a page, and the cells of its tables. */
function sentencesOf(page: string): string[] {
  const blocks = readDocument(page)
    .replaceAll(/^ *```.*?^ *```/gms, '')
    .split(/\n\s*\n|\n(?= *(?:[-*|]|\d+\. ))/)
  const cells = blocks.flatMap((block) => (block.trimStart().startsWith('|') ? block.split(' | ') : [block]))
  return cells.flatMap((cell) =>
    cell
      .replaceAll(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.:;]) (?=[A-Z`*(])/),
  )
}

test('the pages of Run and Trust promise what the table of promises knows', () => {
  expect(PROMISING.length).toBeGreaterThan(10)
  const unknown = PROMISING.flatMap((page) => {
    const known = Object.keys(PROMISES[page] ?? {})
    return sentencesOf(page)
      .filter((sentence) => VERBS.test(sentence) && !known.some((says) => sentence.includes(says)))
      .map((sentence) => `${page}: ${sentence}`)
  })
  // Add the sentence to e2e/promises.json: with a test of it, or with the reason why it has none.
  expect(unknown).toEqual([])
})

test('each row of the table of promises is on its page, and its test exists', () => {
  const wrong = Object.entries(PROMISES).flatMap(([page, rows]) => {
    const sentences = sentencesOf(page)
    return Object.entries(rows)
      .filter(([says, by]) => !sentences.some((sentence) => sentence.includes(says)) || !isTested(by))
      .map(([says, by]) => `${page}: ${says}: ${by}`)
  })
  expect(wrong).toEqual([])
})

function isTested(by: string): boolean {
  const [file = '', ...title] = by.split(': ')
  return NOT_TESTED.includes(by) || (title.length > 0 && readDocument(file).includes(title.join(': ')))
}

const isThere = (file: string, name: string) =>
  existsSync(join(ROOT, file)) && new RegExp(`(function|const) ${name}\\b`).test(readDocument(file))

test('each step of a flow names a file and what it declares', () => {
  const text = readDocument('docs/flows.md')
  const steps = text.match(/^\d+\. .*$/gm) ?? []
  const named = [...text.matchAll(/^\d+\. `(\S+)` `(\w+)`: /gm)]
  expect(named.map(([step]) => step).length).toBe(steps.length)
  expect(steps.length).toBeGreaterThan(30)
  expect(named.filter(([, file = '', name = '']) => !isThere(file, name)).map(([step]) => step)).toEqual([])
})

test('the client that a clone installs works in any folder', async () => {
  const home = await mkdtemp(join(tmpdir(), 'keyferry-installed-'))
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: '' }
  const installing = commandsOf('docs/install.md').find((line) => line.includes('install-client')) ?? ''
  const installed = spawnSync('sh', ['-c', installing], { cwd: ROOT, env, encoding: 'utf8' })
  expect(`${installed.status}: ${installed.stderr}`).toMatch(/^0:/)
  expect(installed.stdout).toContain(`${home}/.local/bin is not in your PATH`)
  const shell = spawnSync(join(home, '.local/bin/keyferry'), ['--version'], {
    cwd: '/',
    env,
    encoding: 'utf8',
  })
  expect([shell.stdout, shell.stderr]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+\n$/), ''])
  await rm(home, { recursive: true })
})

describe('the commands of the readme, as they are written', () => {
  let server: RunningServer
  let folder: string

  beforeAll(async () => {
    server = await startServer()
    folder = await mkdtemp(join(tmpdir(), 'keyferry-readme-'))
    await writeFile(join(folder, '.env'), "PORT=3000\nGREETING='it'\\''s me'\n")
    await writeFile(join(folder, 'package.json'), '{ "scripts": { "dev": "printenv GREETING" } }')
    await writeFile(join(folder, 'keyferry'), `#!/bin/sh\nexec ${process.execPath} ${CLIENT_PROGRAM} "$@"\n`)
    await chmod(join(folder, 'keyferry'), 0o755)
  })

  afterAll(async () => {
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const commands = commandsOf('README.md').filter((line) => /^keyferry\b/.test(line))

  test('there are some', () => expect(commands.length).toBeGreaterThan(1))

  test.each(commands)('%s', async (command) => {
    const PATH = `${folder}:${process.env['PATH']}`
    const ended = await runApproved(command, { folder, server: server.url, PATH })
    expect(ended).toMatchObject({ status: 0 })
    if (command.includes(' run ')) expect(ended.output).toContain("it's me")
  })
})
