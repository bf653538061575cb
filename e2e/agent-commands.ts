import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { until } from '../plumbing/test/until.ts'
import { openPage, readRequest } from './app-page.ts'
import { noteAddresses } from './opened-address.ts'
import { CLIENT_PROGRAM } from './programs.ts'

export const AGENT = { CLAUDECODE: '1' }

type Environment = Readonly<Record<string, string>>

/** One computer on which an agent, or a person without a terminal, runs the real client. */
export async function agentComputer(server: string) {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-agent-'))
  const opened = await noteAddresses(folder)
  const children: ChildProcess[] = []
  return {
    folder,
    /** Run the client in a folder of this computer. */
    run(words: readonly string[], env: Environment = AGENT, cwd = folder) {
      const { PATH, HOME } = process.env
      const child = spawn(process.execPath, [CLIENT_PROGRAM, ...words], {
        cwd,
        env: {
          PATH,
          HOME,
          BROWSER: opened.program,
          KEYFERRY_SERVER: server,
          XDG_RUNTIME_DIR: folder,
          XDG_STATE_HOME: join(folder, 'state'),
          ...env,
        },
      })
      children.push(child)
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      const exit = once(child, 'exit')
      return {
        output: () => output,
        says: (text: string) => until(text, () => output.includes(text)),
        ended: async () => await exit,
        /** Type into it. */
        type: (text: string) => child.stdin.end(text),
        stop: async (signal: NodeJS.Signals) => {
          child.kill(signal)
          return await exit
        },
      }
    },
    /** The address that the client opened last. */
    next: opened.next,
    /** The approval page that the client opened last, read. */
    async opensPage(browser: Browser, options: Parameters<typeof openPage>[1] = {}) {
      const page = await openPage(browser, options)
      await page.goto(await opened.next())
      await readRequest(page)
      return page
    },
    stopAll: () => {
      for (const child of children) child.kill('SIGKILL')
    },
    async dispose() {
      await rm(folder, { recursive: true, force: true })
    },
  }
}
