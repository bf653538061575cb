import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../cli/test/scripted-server.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { closeTerminals, hasTerminal, inTerminal, type Terminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]
const RUN = [...KEYFERRY, 'run', '--no-open', '-q', '--']

// The server is one that has been approved already: what is looked at here comes after.
describe.skipIf(!hasTerminal())('the program has the terminal to itself', () => {
  let server: ScriptedServer
  let pending: ScriptedServer
  let folder: string

  beforeAll(async () => {
    server = await startScriptedServer()
    pending = await startScriptedServer({ wait: () => ({ body: { status: 'pending' } }) })
    folder = await mkdtemp(join(tmpdir(), 'keyferry-takeover-'))
  })

  afterAll(async () => {
    closeTerminals()
    server.close()
    pending.close()
    await rm(folder, { recursive: true })
  })

  function terminal(
    argv: readonly string[],
    options: { url?: string; columns?: number; env?: object } = {},
  ): Terminal {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, TERM: 'xterm', LANG: 'C.UTF-8', KEYFERRY_SERVER: options.url ?? server.url }
    return inTerminal(argv, { env: { ...env, ...options.env }, cwd: folder, columns: options.columns ?? 100 })
  }

  test.each([0, 3, 126, 127, 143])('exit code %i is the program’s', async (code) => {
    expect(await terminal([...RUN, 'sh', '-c', `exit ${code}`]).exit).toBe(code)
  })

  test('Ctrl-C reaches only the program', async () => {
    const script = 'trap "echo caught; exit 42" INT; echo ready; while :; do sleep 0.1; done'
    const shown = terminal([...RUN, 'sh', '-c', script])
    await shown.appears(/ready/)
    shown.type('\x03')
    expect(await shown.exit).toBe(42)
    expect(shown.output().match(/caught/g)).toHaveLength(1)
  })

  test('Ctrl-C ends a program that does not handle it', async () => {
    const shown = terminal([...RUN, 'sh', '-c', 'echo ready; exec sleep 60'])
    await shown.appears(/ready/)
    shown.type('\x03')
    expect(await shown.exit).toBe(130)
  })

  test('the process id stays: signals to it reach the program', async () => {
    const shown = terminal([
      'sh',
      '-c',
      `${RUN.join(' ')} sh -c 'echo pid $$; exec sleep 60' & echo child $!; wait $!`,
    ])
    const [, child] = await shown.appears(/child (\d+)/)
    const [, pid] = await shown.appears(/pid (\d+)/)
    expect(pid).toBe(child)
    process.kill(Number(pid), 'SIGTERM')
    expect(await shown.exit).toBe(143)
  })

  test('SIGKILL leaves nothing behind', async () => {
    const shown = terminal([...RUN, 'sh', '-c', 'echo pid $$; exec sleep 60'])
    const [, pid] = await shown.appears(/pid (\d+)/)
    process.kill(Number(pid), 'SIGKILL')
    expect(await shown.exit).toBe(137)
  })

  test('Ctrl-Z stops it and fg goes on', async () => {
    const shown = terminal(['bash', '--norc', '-i'])
    // It starts no program: if Ctrl-Z stopped one before its `exec`, dash would wait for it and never stop.
    const script = 'echo up; read -r go; echo over'
    shown.type(`PS1='ready> '; ${RUN.join(' ')} sh -c '${script}'\n`)
    await shown.appears(/^up/m)
    shown.type('\x1a')
    await shown.appears(/Stopped/)
    shown.type('fg\n')
    await shown.appears(/ fg\r\n[\s\S]* -- sh -c/)
    shown.type('\n')
    await shown.appears(/^over/m)
    shown.type('exit 5\n')
    expect(await shown.exit).toBe(5)
  })

  test('Ctrl-Z while waiting stops the client and fg goes on', async () => {
    const shown = terminal(['bash', '--norc', '-i'], { url: pending.url })
    shown.type(`${[...KEYFERRY, 'run', '--no-open', '--', 'true'].join(' ')}\n`)
    await shown.appears(/\d:\d\d/)
    shown.type('\x1a')
    await shown.appears(/Stopped/)
    shown.type('fg\n')
    await shown.appears(/Stopped[\s\S]*\d:\d\d/)
    shown.type('\x03')
    await shown.appears(/interrupted/)
    shown.type('echo "code $?"; exit\n')
    await shown.appears(/code 130/)
    await shown.exit
  })

  test('terminal settings, signals and file flags are as the shell left them', async () => {
    const look = `stty -g; grep -E 'SigIgn|SigBlk|SigCgt' /proc/self/status; grep flags /proc/self/fdinfo/0 /proc/self/fdinfo/2`
    const plain = await output(terminal(['sh', '-c', look]))
    const through = await output(terminal([...RUN, 'sh', '-c', `echo; ${look}`]))
    // Node reads the terminal's size through a separate handle, opened with O_LARGEFILE (0100000).
    const seen = through.slice(through.lastIndexOf('\r\n\r\n') + 4).replace('0100002', '02')
    expect(seen).toBe(plain)
  })

  test('pipes stay blocking', async () => {
    const look = 'grep flags /proc/self/fdinfo/0 /proc/self/fdinfo/1 /proc/self/fdinfo/2 > flags'
    await output(terminal(['sh', '-c', `echo | (sleep 0.1; ${RUN.join(' ')} sh -c '${look}') 2>&1 | cat`]))
    const flags = await readFile(join(folder, 'flags'), 'utf8')
    expect(flags.match(/flags:\s+\d*4\d{3}$/gm)).toBeNull() // O_NONBLOCK is 04000
    expect(flags.split('\n').filter((line) => line !== '')).toHaveLength(3)
  })

  test('what is typed while it waits belongs to the program', async () => {
    const shown = terminal([...RUN, 'sh', '-c', 'read line; echo "got $line"'])
    shown.type('typed ahead\n')
    await shown.appears(/got typed ahead/)
    expect(await shown.exit).toBe(0)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    '%s while waiting ends the client with its number',
    async (signal) => {
      const command = `${[...KEYFERRY, 'run', '--no-open', '--', 'true'].join(' ')} & echo pid $!; wait $!`
      const shown = terminal(['sh', '-c', command], { url: pending.url })
      const [, pid] = await shown.appears(/pid (\d+)/)
      await shown.appears(/\d:\d\d/)
      process.kill(Number(pid), signal)
      expect(await shown.exit).toBe(signal === 'SIGTERM' ? 143 : 129)
    },
  )

  test('40 columns: nothing of the view is wider, but the link is whole', async () => {
    const shown = terminal([...KEYFERRY, 'run', '--no-open', 'dev/app', '--', 'true'], {
      url: pending.url,
      columns: 40,
    })
    await shown.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}\r\n/)
    await shown.appears(/4:59/)
    shown.type('\x03')
    await shown.exit
    const status = shown.output().match(/\x1b\[2K[^\r\n]*\d:\d\d/g) ?? []
    expect(status.length).toBeGreaterThan(0)
    for (const line of status) expect(stripVTControlCharacters(line).length).toBeLessThan(40)
  })

  test('NO_COLOR and TERM=dumb remove colours and movement; a link that only this machine can open has no QR code', async () => {
    const wide = await waitingScreen({})
    expect(wide).not.toMatch(/[▀▄█]/)
    expect(wide).toContain('\x1b[1m')
    const plain = await waitingScreen({ NO_COLOR: '1' })
    expect(plain).not.toMatch(/\x1b\[\d+m/)
    const dumb = await waitingScreen({ TERM: 'dumb' })
    expect(dumb).not.toContain('\x1b')
    const ascii = await waitingScreen({ LANG: 'C' })
    expect(ascii).not.toMatch(/[^\x00-\x7f]/)
  })

  async function waitingScreen(env: object): Promise<string> {
    const shown = terminal([...KEYFERRY, 'run', '--no-open', 'dev/app', '--', 'true'], {
      url: pending.url,
      env,
    })
    await shown.appears(/\d:\d\d/)
    shown.type('\x03')
    await shown.exit
    return shown.output()
  }
})

async function output(shown: Terminal): Promise<string> {
  await shown.exit
  return shown.output()
}
