import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../cli/test/scripted-server.ts'
import { hasPrograms } from '../plumbing/test/programs.ts'

/** What a program inherits through a client.
 * @param path the command of the client, for a shell; called when the tests start */
export function describeInheritance(path: () => string): void {
  let server: ScriptedServer
  let folder: string
  let client: string

  beforeAll(async () => {
    server = await startScriptedServer()
    folder = mkdtempSync(join(tmpdir(), 'keyferry-descriptors-'))
    writeFileSync(join(folder, 'three'), 'three')
    writeFileSync(join(folder, 'seven'), 'seven')
    client = `${path()} run -q --no-open`
  })

  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  // The scripted server answers from this process, so nothing here may block it.
  function started(file: string, args: readonly string[]) {
    const env = { PATH: process.env['PATH'], HOME: folder, KEYFERRY_SERVER: server.url }
    return spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  async function outputOf(
    file: string,
    args: readonly string[],
  ): Promise<{ stdout: string; stderr: string }> {
    const child = started(file, args)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { stdout, stderr }
  }

  const shell = async (script: string): Promise<string> => (await outputOf('bash', ['-c', script])).stdout

  test.each(['', '--redact', '--file GREETING=greeting'])(
    'files that a shell opened, with “%s”',
    async (flags) => {
      const script = `exec 3<three 7<seven 40<three; ${client} ${flags} -- sh -c 'cat <&3; cat <&7; cat /dev/fd/40'`
      expect(await shell(script)).toBe('threeseventhree')
    },
  )

  test('the output of another command as a file', async () => {
    expect(await shell(`${client} -- cat <(echo one) <(echo two)`)).toBe('one\ntwo\n')
  })

  test.skipIf(!hasPrograms('flock'))('a lock, as long as the program runs', async () => {
    const script = [
      'exec 9>lock; flock 9',
      `${client} -- sh -c 'echo started >up; until [ -e end ]; do sleep 0.05; done' & exec 9>&-`,
      'until [ -e up ]; do sleep 0.05; done; flock -n lock true || echo held',
      'touch end; wait; flock lock echo free',
    ]
    rmSync(join(folder, 'end'), { force: true })
    rmSync(join(folder, 'up'), { force: true })
    expect(await shell(script.join('\n'))).toBe('held\nfree\n')
  })

  test.skipIf(!hasPrograms('make'))('the tokens of make', async () => {
    const look = `printf '%s\\n' "$$MAKEFLAGS"; $(MAKE) -f inner`
    writeFileSync(join(folder, 'outer'), `all:\n\t+${client} -- sh -c '${look.replaceAll("'", `'"'"'`)}'\n`)
    writeFileSync(join(folder, 'inner'), 'all: a b\na b:\n\t@echo made $@\n')
    const { stdout, stderr } = await outputOf('make', ['--no-print-directory', '-j4', '-f', 'outer'])
    expect(stdout).toMatch(/--jobserver-auth/)
    expect(stdout).toMatch(/made a[\s\S]*made b|made b[\s\S]*made a/)
    expect(stderr).not.toContain('jobserver unavailable')
  })

  test.skipIf(!hasPrograms('systemd-socket-activate'))(
    'the sockets of systemd, which names the process of the program',
    async () => {
      const port = await freePort()
      const program = `
      if (process.env.LISTEN_PID !== String(process.pid)) throw new Error('not for me')
      require('node:net').createServer((socket) => socket.end('served')).listen({ fd: 3 })`
      writeFileSync(join(folder, 'program.cjs'), program)
      const words = [client.replaceAll("'", ''), '--', process.execPath, 'program.cjs'].join(' ').split(' ')
      const environment = ['PATH', 'HOME', 'KEYFERRY_SERVER'].flatMap((name) => ['-E', name])
      const args = ['-l', `127.0.0.1:${port}`, ...environment, ...words]
      const child = started('systemd-socket-activate', args)
      try {
        await expect.poll(async () => await answerOf(port)).toBe('served')
      } finally {
        child.kill()
      }
    },
  )

  test('sockets that cannot be handed on are refused', async () => {
    const script = `export LISTEN_FDS=1 LISTEN_PID=$$; exec ${client} --redact -- echo started 3<&-`
    const { stdout, stderr } = await outputOf('bash', ['-c', script])
    expect(stdout).toBe('')
    expect(stderr).toContain('file descriptor 3 cannot be handed to the program')
  })
}

async function answerOf(port: number): Promise<string> {
  try {
    return await text(connect(port, '127.0.0.1'))
  } catch {
    return ''
  }
}
