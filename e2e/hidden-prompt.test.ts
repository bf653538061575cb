import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal, type Terminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]
const PASTE = { begin: '\x1b[200~', end: '\x1b[201~' }
const PEM = execFileSync('openssl', ['genpkey', '-algorithm', 'RSA'], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
})
const PEM_TEXT = PEM.replace(/\n$/, '')
const PEM_SIZE = `${PEM_TEXT.split('\n').length} lines, ${PEM_TEXT.length} characters`
// A terminal sends a carriage return for each line end that is pasted.
const asSent = (text: string) => text.replaceAll('\n', '\r')

// Public, so that the tests can read the value.
const setting = (name: string) => [...KEYFERRY, 'set', name, '--bundle', 'dev/hidden', '--public']

describe.skipIf(!hasTerminal())('the hidden prompt of set', () => {
  let server: RunningServer
  let folder: string

  beforeAll(async () => {
    server = await startServer()
    folder = mkdtempSync(join(tmpdir(), 'keyferry-hidden-'))
  })

  afterAll(async () => {
    closeTerminals()
    await server.dispose()
    rmSync(folder, { recursive: true })
  })

  function terminal(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Terminal {
    const { PATH } = process.env
    const usual = { PATH, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url }
    return inTerminal(argv, { env: { ...usual, ...env }, cwd: folder, columns: 100 })
  }

  async function prompt(name: string, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
    const shown = terminal(setting(name), env)
    await shown.appears(new RegExp(`${name}: `))
    return shown
  }

  async function stored(name: string): Promise<string | null> {
    const call = createClient(server.url)
    const [bundle] = await call('GET', '/api/v1/bundles', { query: { query: 'dev/hidden' } })
    const params = { bundle_id: bundle?.id ?? '' }
    const key = (await call('GET', '/api/v1/bundles/{bundle_id}/keys', { params })).find(
      (each) => each.name === name,
    )
    return key?.value ?? null
  }

  test('a marked paste is taken whole, and only its size appears', async () => {
    const shown = await prompt('MARKED')
    shown.type(`${PASTE.begin}${asSent(PEM)}${PASTE.end}`)
    await shown.appears(new RegExp(`MARKED: \\[${PEM_SIZE}\\]`))
    shown.type('\r')
    expect(await shown.exit).toBe(0)
    expect(await stored('MARKED')).toBe(PEM_TEXT)
    expect(shown.output()).not.toContain('BEGIN')
    expect(shown.output()).toMatch(/\x1b\[\?2004h[\s\S]*\x1b\[\?2004l/)
  })

  test('a paste without marks is taken whole after a question, however slowly it arrives', async () => {
    const shown = await prompt('UNMARKED', { TERM: 'dumb' })
    const text = asSent(PEM)
    for (let at = 0; at < text.length; at += 400) {
      shown.type(text.slice(at, at + 400))
      await sleep(50)
    }
    await shown.appears(new RegExp(`Use all ${PEM_SIZE}\\? \\[Y/n\\]`))
    expect(shown.output()).not.toContain('\x1b[?2004')
    shown.type('\r')
    expect(await shown.exit).toBe(0)
    expect(await stored('UNMARKED')).toBe(PEM_TEXT)
  })

  test('a PEM block is not over before its last line', async () => {
    const shown = await prompt('HALVES')
    const half = PEM.indexOf('\n', 500) + 1
    shown.type(asSent(PEM.slice(0, half)))
    await shown.appears(/paste the rest, or end with Ctrl-D/)
    shown.type(asSent(PEM.slice(half)))
    await shown.appears(/Use all/)
    shown.type('\r')
    expect(await shown.exit).toBe(0)
    expect(await stored('HALVES')).toBe(PEM_TEXT)
  })

  test('text with several lines that is not wanted is asked for again', async () => {
    const shown = await prompt('AGAIN')
    shown.type('one\recho typed-ahead\r')
    await shown.appears(/Use all 2 lines, 20 characters\? /)
    shown.type('n\r')
    await shown.appears(/AGAIN: [\s\S]*AGAIN: /)
    shown.type('two\r')
    expect(await shown.exit).toBe(0)
    expect(await stored('AGAIN')).toBe('two')
  })

  test('editing keys edit, and are not part of the secret', async () => {
    const shown = await prompt('EDITED')
    for (const key of ['wrong', '\x15', 'ri', '\x1b[D', '\x1b[D', '\x1b[Fgh', '\x1b[A', 't', 'x', '\x7f']) {
      shown.type(key)
      await sleep(20)
    }
    shown.type('\r')
    expect(await shown.exit).toBe(0)
    expect(await stored('EDITED')).toBe('right')
  })

  test('Ctrl-C also reaches the script that runs the client', async () => {
    const script = 'trap "echo the script was told" INT; "$@"'
    const shown = terminal(['sh', '-c', script, 'sh', ...setting('INTERRUPTED')])
    await shown.appears(/INTERRUPTED: /)
    shown.type('\x03')
    await shown.appears(/the script was told/)
    expect(await shown.exit).toBe(130)
  })

  test('a control character is refused, and the secret asked for again', async () => {
    const shown = await prompt('REFUSED')
    const wrong = [
      'wro\x07ng\r',
      `${PASTE.begin}wro\x1b[31mng${PASTE.end}\r`,
      'wro\x1b]0;title\x07ng\r',
      Buffer.from('wro\xe9ng\r', 'latin1'),
    ]
    for (const [index, text] of wrong.entries()) {
      shown.type(text)
      await shown.appears(
        new RegExp(`(?:has a control character, so nothing was taken[\\s\\S]*){${index + 1}}`),
      )
    }
    shown.type('right\r')
    expect(await shown.exit).toBe(0)
    expect(await stored('REFUSED')).toBe('right')
  })

  test('at the end nothing of a paste reaches the shell, and the terminal is as before', async () => {
    for (const [key, code] of [
      ['\x03', 130],
      ['\x1c', 131],
    ] as const) {
      const shown = terminal(['bash', '--norc', '-i'], { PS1: '$ ' })
      shown.type(`stty -a >before; ${setting('NOTHING').join(' ')}; echo "code $?"; stty -a >after\n`)
      await shown.appears(/NOTHING: /)
      shown.type(`some${key}touch leaked\rtouch leaked\r`)
      await shown.appears(new RegExp(`code ${code}`))
      shown.type('cmp before after && echo same; ls; exit\n')
      await shown.appears(/same/)
      await shown.exit
      expect(shown.output()).not.toContain('leaked\r\n')
      expect(shown.output()).toContain('\x1b[?2004l')
    }
  })

  test('Ctrl-D on an empty line stores nothing', async () => {
    const shown = await prompt('EMPTY')
    shown.type('\x04')
    expect(await shown.exit).toBe(1)
    expect(shown.output()).toContain('no value was typed')
  })

  test('Ctrl-Z stops the client with a usable terminal, and fg asks again', async () => {
    const shown = terminal(['bash', '--norc', '-i'], { PS1: '$ ' })
    shown.type(`${setting('STOPPED').join(' ')}\n`)
    await shown.appears(/STOPPED: /)
    shown.type('half\x1a')
    await shown.appears(/Stopped/)
    shown.type('echo vis""ible; fg; echo "code $?"\n')
    await shown.appears(/visible[\s\S]*STOPPED: /)
    shown.type('right\r')
    await shown.appears(/code 0/)
    shown.type('exit\n')
    await shown.exit
    expect(await stored('STOPPED')).toBe('right')
  })
})
