import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TIME_LIMIT_FACTOR, until } from '../plumbing/test/until.ts'
import { SERVER_COMMAND } from './programs.ts'

export type ServerOptions = {
  /** 0: any free port. */
  readonly port?: number
  /** Kept when given; otherwise made, and removed at the end. */
  readonly dataDir?: string
  readonly env?: Readonly<Record<string, string>>
}

export type RunningServer = {
  readonly url: string
  readonly port: number
  readonly dataDir: string
  /** What it has printed so far. */
  readonly output: () => string
  /** Ends it (SIGTERM unless another signal is named) and resolves once it is gone. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
  /** Ends it and starts another on the same port and data. */
  readonly restart: () => Promise<RunningServer>
  /** Stops it and removes the data that was made for it. */
  readonly dispose: () => Promise<void>
}

/** Start the real `keyferry-server` in local mode and wait until it says that it listens. */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'keyferry-e2e-')))
  const [program, ...words] = SERVER_COMMAND
  const child = spawn(program, words, {
    env: serverEnvironment(options, dataDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(child)
  const url = await listening(child, output)
  const port = Number(new URL(url).port)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  return {
    url,
    port,
    dataDir,
    output,
    stop,
    restart: async () => {
      await stop()
      return await startServer({ ...options, port, dataDir })
    },
    dispose: async () => {
      await stop()
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function serverEnvironment({ port = 0, env }: ServerOptions, dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  return { PATH, HOME, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir, TIME_LIMIT_FACTOR, ...env }
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  }
  return () => text
}

async function listening(child: ChildProcess, output: () => string): Promise<string> {
  return await until('the address of keyferry-server', () => {
    if (child.exitCode !== null) throw new Error(`keyferry-server did not start:\n${output()}`)
    return /Listens\s+(http:\/\/\S+)/.exec(output())?.[1]
  })
}
