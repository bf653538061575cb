import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { type NodeProcess, type ProcessOptions, startProcess } from '../node-process.ts'
import { SERVER_PROGRAM } from '../programs.ts'

/** Where the data is; both empty: SQLite in the deployment's own folder. */
export type Stores = { readonly databaseUrl?: string; readonly redisUrl?: string }

export type DeploymentOptions = {
  /** `all`: one process. `separate`: an API and a web-facing layer. */
  readonly processes: 'all' | 'separate'
  readonly stores?: Stores
  /** Kept when given; otherwise made, and removed at the end. */
  readonly dataDir?: string
  /** Of the other nodes on the same database. */
  readonly rootKey?: string
  readonly env?: Readonly<Record<string, string>>
}

export type Part = 'all' | 'api' | 'web'

const HEALTHY_WITHIN_MS = 30_000
const SECRET = 'the shared secret of a deployment under test'

/** A Keyferry whose processes can be killed and started again, each at the address it had. In local mode, so that
 * callers need no sign-in; values can be revealed, so that they can be checked. */
export class Deployment {
  readonly #options: DeploymentOptions
  readonly #env: Readonly<Record<string, string>>
  readonly #members = new Map<Part, NodeProcess>()
  readonly dataDir: string
  readonly rootKey: string

  private constructor(options: DeploymentOptions) {
    this.#options = options
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'keyferry-faults-'))
    this.rootKey = options.rootKey ?? formatRootKey(generateRootKey())
    this.#env = { ...environment(options), DATA_DIR: this.dataDir, ROOT_KEY: this.rootKey }
  }

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const deployment = new Deployment(options)
    for (const part of deployment.parts) await deployment.#startPart(part)
    await deployment.untilHealthy()
    return deployment
  }

  get parts(): readonly Part[] {
    return this.#options.processes === 'all' ? ['all'] : ['api', 'web']
  }

  /** Where people and clients reach it. */
  get address(): string {
    return this.member(this.#options.processes === 'all' ? 'all' : 'web').address
  }

  member(part: Part): NodeProcess {
    const member = this.#members.get(part)
    if (!member) throw new Error(`no ${part} here`)
    return member
  }

  kill(part: Part): Promise<void> {
    return this.member(part).stop('SIGKILL')
  }

  /** Start a part that was killed.
   * @returns milliseconds until it and the servers behind it answered */
  async restart(part: Part): Promise<number> {
    const startedAt = performance.now()
    await this.#startPart(part, new URL(this.member(part).address).port)
    await this.untilHealthy()
    return performance.now() - startedAt
  }

  /** Every part answers, and the API has what it stores in. */
  async untilHealthy(withinMs = HEALTHY_WITHIN_MS): Promise<void> {
    const deadline = Date.now() + withinMs
    for (;;) {
      const answer = await fetch(`${this.address}/readyz`).catch(() => null)
      if (answer?.ok) return
      if (Date.now() > deadline) throw new Error(`not ready: ${answer ? await answer.text() : 'no answer'}`)
      await sleep(10)
    }
  }

  /** Kills every part and removes the data that was made for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => member.stop('SIGKILL')))
    if (this.#options.dataDir === undefined) rmSync(this.dataDir, { recursive: true, force: true })
  }

  async #startPart(part: Part, port = '0'): Promise<void> {
    const env = {
      ...this.#env,
      PORT: port,
      ...(part === 'web' ? { API_URL: this.member('api').address } : {}),
    }
    const words: ProcessOptions['words'] = part === 'all' ? [] : [part]
    this.#members.set(part, await startProcess({ script: SERVER_PROGRAM, words, env }))
  }
}

function environment({ stores = {}, env = {} }: DeploymentOptions) {
  const { databaseUrl, redisUrl } = stores
  return {
    BFF_SHARED_SECRET: SECRET,
    DEV_ALLOW_PLAINTEXT: '1',
    NODE_ENV: 'development',
    TRUST_PROXY: '127.0.0.1',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    ...env,
  }
}
