import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { APPROVE, readRequest } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal, type Terminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]

// A file as a person has it, and what a program must find in its environment.
const FILE = `# the app
export PLAIN=hello world   # with a note
SINGLE='it is $HOME and \`id\` and "quotes" and \\n'
JOINED='it'\\''s'
DOUBLE="a 'quote', a $dollar, one\\ntwo"
LINES="first
  second
third"
BACKTICK=\`it's "both"\`
COLOUR=#ff8800
UNICODE=grüße 🚢 日本語 \u{1f469}\u{200d}\u{1f680}
EMPTY=
BACKSLASH='C:\\temp\\'
`
const EXPECTED = {
  PLAIN: 'hello world',
  SINGLE: 'it is $HOME and `id` and "quotes" and \\n',
  JOINED: "it's",
  DOUBLE: "a 'quote', a $dollar, one\ntwo",
  LINES: 'first\n  second\nthird',
  BACKTICK: 'it\'s "both"',
  COLOUR: '#ff8800',
  UNICODE: 'grüße 🚢 日本語 \u{1f469}\u{200d}\u{1f680}',
  EMPTY: '',
  BACKSLASH: 'C:\\temp\\',
}

const canRun = hasBrowser() && hasTerminal()

describe.skipIf(!canRun)('from a .env file to a running program', () => {
  let server: RunningServer
  let browser: Browser
  let folder: string

  beforeAll(async () => {
    server = await startServer()
    browser = await sharedBrowser()
    folder = await mkdtemp(join(tmpdir(), 'keyferry-story-'))
    await writeFile(join(folder, '.env'), FILE)
    const imported = spawnSync(
      KEYFERRY[0] ?? '',
      [...KEYFERRY.slice(1), 'import', '.env', '--bundle', 'dev/app'],
      {
        cwd: folder,
        env: environment(),
        encoding: 'utf8',
      },
    )
    expect(imported.stderr).toContain('Done')
    expect(imported.status).toBe(0)
  })

  afterAll(async () => {
    closeTerminals()
    await closePages(browser)
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  function environment(): Record<string, string | undefined> {
    const { PATH, HOME } = process.env
    return { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url }
  }

  function keyferry(...args: readonly string[]): Terminal {
    return keyferryWith({}, ...args)
  }

  function keyferryWith(env: Record<string, string>, ...args: readonly string[]): Terminal {
    return inTerminal([...KEYFERRY, ...args], { cwd: folder, env: { ...environment(), ...env } })
  }

  // The program copies its environment as the system keeps it, so that every byte counts.
  function runToFile(output: string, ...flags: readonly string[]): Terminal {
    const program = `require('fs').writeFileSync(process.argv[1], require('fs').readFileSync('/proc/self/environ'))`
    return keyferry('run', 'dev/app', ...flags, '--', process.execPath, '-e', program, join(folder, output))
  }

  async function openApproval(terminal: Terminal): Promise<Page> {
    const [url] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    await terminal.appears(/\d:\d\d/)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(url)
    await readRequest(page)
    return page
  }

  test('the program sees every byte', async () => {
    const terminal = runToFile('environ')
    const page = await openApproval(terminal)
    const [, code = 'no code'] = await terminal.appears(/page must show (?:\x1b\[1m)?([A-Z]{4}-[A-Z]{4})/)
    await page.getByText(code).waitFor()
    await page.getByRole('button', { name: APPROVE }).click()
    expect(await terminal.exit).toBe(0)
    await page
      .getByText(/Approved|Delivered/)
      .first()
      .waitFor()
    expect(await readEnvironment('environ')).toMatchObject(EXPECTED)
    await page.context().close()
  })

  test('denied: nothing starts, exit code 3', async () => {
    const terminal = runToFile('never')
    const page = await openApproval(terminal)
    await page.getByRole('button', { name: 'Deny' }).click()
    expect(await terminal.exit).toBe(3)
    expect(terminal.output()).toContain('denied')
    await expect(readFile(join(folder, 'never'))).rejects.toThrow('ENOENT')
    await page.context().close()
  })

  test('Ctrl-C while waiting: exit code 130, and the terminal is left clean', async () => {
    const terminal = runToFile('never')
    await terminal.appears(/\d:\d\d/)
    terminal.type('\x03')
    expect(await terminal.exit).toBe(130)
    expect(terminal.output()).toMatch(/interrupted\r?\n$/)
  })

  test('Ctrl-C withdraws the request: the open page says so, and nothing can be approved', async () => {
    const terminal = runToFile('never')
    const page = await openApproval(terminal)
    await page.getByRole('button', { name: APPROVE }).waitFor()
    terminal.type('\x03')
    expect(await terminal.exit).toBe(130)
    expect(terminal.output()).toMatch(/request withdrawn\r?\nkeyferry: interrupted\r?\n$/)
    await page.getByRole('heading', { name: 'Withdrawn', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Withdrawn', level: 1 }).waitFor()
    await page.context().close()
  })

  test('two people approve at once: one delivery', async () => {
    const terminal = runToFile('once')
    const [first, second] = await Promise.all([openApproval(terminal), openApproval(terminal)])
    const buttons = [first, second].map((page) => page.getByRole('button', { name: APPROVE }))
    await Promise.all(buttons.map((button) => button.waitFor()))
    await Promise.all(buttons.map((button) => button.click()))
    expect(await terminal.exit).toBe(0)
    expect(await readEnvironment('once')).toMatchObject(EXPECTED)
    await Promise.all(
      [first, second].map((page) =>
        page
          .getByText(/approved|delivered|already/i)
          .first()
          .waitFor(),
      ),
    )
    await Promise.all([first, second].map((page) => page.context().close()))
  })

  test('the server restarts while waiting: the same request goes on', async () => {
    const terminal = runToFile('after-restart')
    await terminal.appears(/\d:\d\d/)
    server = await server.restart()
    const page = await openApproval(terminal)
    await page.getByRole('button', { name: APPROVE }).click()
    expect(await terminal.exit).toBe(0)
    expect(await readEnvironment('after-restart')).toMatchObject(EXPECTED)
    await page.context().close()
  })

  test('only what was asked for is pre-selected and delivered', async () => {
    const terminal = runToFile('two', '--keys', 'PLAIN,EMPTY')
    const page = await openApproval(terminal)
    await page.getByRole('button', { name: APPROVE }).click()
    expect(await terminal.exit).toBe(0)
    const seen = await readEnvironment('two')
    expect(seen).toMatchObject({ PLAIN: EXPECTED.PLAIN, EMPTY: '' })
    expect(seen).not.toHaveProperty('SINGLE')
    await page.context().close()
  })

  test('edit: the editor has the values; what changed is stored, and a line that is gone is removed', async () => {
    const editor = `sed -i -e 's/"EMPTY": ""/"EMPTY": "filled", "ADDED": "new"/' -e '/"COLOUR"/d'`
    const terminal = keyferryWith({ EDITOR: editor }, 'edit', 'dev/app')
    const page = await openApproval(terminal)
    await page.getByRole('button', { name: APPROVE }).click()
    await terminal.appears(/- COLOUR +removed; its value stays stored/)
    await terminal.appears(/Store\? \[y\/N\]/)
    terminal.type('y\n')
    expect(await terminal.exit).toBe(0)
    const { items } = await bundle()
    const left = Object.keys(EXPECTED).filter((name) => name !== 'COLOUR')
    expect(items.map(({ name }) => name).toSorted()).toEqual([...left, 'ADDED'].toSorted())
    expect(await versionsOf('EMPTY')).toBe(2)
    expect(await versionsOf('PLAIN')).toBe(1)
    await page.context().close()
  })

  test('edit: a value that changed meanwhile is kept, and the text too, unless the person says otherwise', async () => {
    const key = (await bundle()).items.find(({ name }) => name === 'PLAIN')?.id ?? ''
    const editor = `
      import { readFileSync, writeFileSync } from 'node:fs'
      const [,, url, path] = process.argv
      writeFileSync(path, readFileSync(path, 'utf8').replace(/"PLAIN": "[^"]*"/, '"PLAIN": "mine"'))
      const headers = { origin: new URL(url).origin, 'content-type': 'application/json' }
      const body = JSON.stringify({ value: 'theirs ' + Math.random() })
      const { ok } = await fetch(url, { method: 'PUT', headers, body })
      process.exit(ok ? 0 : 1)`
    await writeFile(join(folder, 'editor.mjs'), editor)
    const url = `${server.url}/api/v1/keys/${key}`
    const env = { EDITOR: `'${process.execPath}' '${join(folder, 'editor.mjs')}' ${url}` }
    for (const [answer, versions] of [
      ['n', 2],
      ['y', 4],
    ] as const) {
      const terminal = keyferryWith(env, 'edit', 'dev/app')
      const page = await openApproval(terminal)
      await page.getByRole('button', { name: APPROVE }).click()
      await terminal.appears(
        /PLAIN was changed by \S+ after you opened the editor\s+Store your value of PLAIN instead\?/,
      )
      terminal.type(`${answer}\n`)
      if (answer === 'y') {
        await terminal.appears(/Store\? \[y\/N\]/)
        terminal.type('y\n')
      }
      expect(await terminal.exit).toBe(0)
      expect(await versionsOf('PLAIN')).toBe(versions)
      const [, kept] = /your text is in (\S+)\. To store/.exec(terminal.output().replace(/\s+/g, ' ')) ?? []
      if (answer === 'y') expect(kept).toBeUndefined()
      else {
        expect(await readFile(kept ?? '', 'utf8')).toContain('"PLAIN": "mine"')
        await rm(dirname(kept ?? ''), { recursive: true })
      }
      await page.context().close()
    }
  })

  async function bundle() {
    const call = createClient(server.url)
    const [found] = await call('GET', '/api/v1/bundles')
    return await call('GET', '/api/v1/bundles/{bundle_id}', { params: { bundle_id: found?.id ?? '' } })
  }

  async function versionsOf(name: string): Promise<number> {
    const key_id = (await bundle()).items.find((item) => item.name === name)?.id ?? ''
    const versions = await createClient(server.url)('GET', '/api/v1/keys/{key_id}/versions', {
      params: { key_id },
    })
    return versions.length
  }

  async function readEnvironment(file: string): Promise<Record<string, string>> {
    const text = await readFile(join(folder, file), 'utf8')
    const entries = text.split('\0').filter((entry) => entry !== '')
    return Object.fromEntries(
      entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    )
  }
})

describe.skipIf(!canRun)('without an approval', () => {
  test('expired: exit code 4', async () => {
    const server = await startServer({ env: { REQUEST_TTL: '5' } })
    const { PATH, HOME } = process.env
    const terminal = inTerminal([...KEYFERRY, 'run', '--', 'true'], {
      env: { PATH, HOME, TERM: 'xterm', KEYFERRY_SERVER: server.url },
    })
    expect(await terminal.exit).toBe(4)
    expect(terminal.output()).toContain('expired')
    await server.dispose()
  })
})
