import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'

/*
 * Runs the steps of a composite action as the runner of GitHub Actions does: bash with `-eo pipefail`, environment
 * files between the steps, and masks that the steps set with `::add-mask::` on either stream. Source: docs.github.com,
 * "Workflow commands" and "Metadata syntax"; actions/runner, ActionCommandManager.cs.
 */

type Inputs = Readonly<Record<string, string>>

/** What of an action is used here; its whole form is checked by its schema. */
type Action = {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly runs: { readonly steps: readonly { readonly run: string; readonly env: Inputs }[] }
}

export type ActionRun = {
  readonly exitCode: number
  /** What the log of the job shows. */
  readonly log: string
  /** What the later steps of the job get. */
  readonly exported: Readonly<Record<string, string>>
}

export async function runAction(
  text: string,
  { inputs, env }: { inputs: Readonly<Record<string, string>>; env: Readonly<Record<string, string>> },
): Promise<ActionRun> {
  const { runs, inputs: declared }: Action = parse(text)
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-runner-'))
  const files = { GITHUB_ENV: join(folder, 'env'), GITHUB_PATH: join(folder, 'path') }
  await Promise.all(Object.values(files).map((file) => writeFile(file, '')))
  const log = new JobLog()
  let exitCode = 0
  for (const step of runs.steps) {
    const own = Object.entries(step.env).map(([name, value]) => [name, filled(value, inputs, declared)])
    const script = join(folder, 'script.sh')
    await writeFile(script, step.run)
    const path = await pathOf(files.GITHUB_PATH, env['PATH'] ?? '')
    exitCode = await bash(
      script,
      { ...env, ...files, GITHUB_ACTIONS: 'true', PATH: path, ...Object.fromEntries(own) },
      log,
    )
    if (exitCode !== 0) break
  }
  const exported = readEnvFile(await readFile(files.GITHUB_ENV, 'utf8'))
  await rm(folder, { recursive: true, force: true })
  return { exitCode, log: log.text(), exported }
}

/** The folders that earlier steps added, the last first. */
async function pathOf(file: string, first: string): Promise<string> {
  const added = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return [...added.toReversed(), first].join(':')
}

function filled(value: string, inputs: Readonly<Record<string, string>>, declared: Action['inputs']): string {
  return value.replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name: string) => {
    const text = inputs[name] ?? declared[name]?.default
    if (text === undefined) throw new Error(`input ${name} is required`)
    return text
  })
}

async function bash(script: string, env: Readonly<Record<string, string>>, log: JobLog): Promise<number> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) log.add(line)
    })
    stream.on('end', () => log.add(rest))
  }
  return await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}

class JobLog {
  readonly #lines: string[] = []
  readonly #masked: string[] = []

  add(line: string): void {
    const mask = /^\s*::add-mask::(.*)$/.exec(line)?.[1]
    if (mask === undefined) this.#lines.push(this.#hidden(line))
    else if (mask !== '') this.#masked.push(decoded(mask))
  }

  text(): string {
    return this.#lines.join('\n')
  }

  #hidden(line: string): string {
    return this.#masked.reduce((text, mask) => text.replaceAll(mask, '***'), line)
  }
}

function decoded(data: string): string {
  return data.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
}

/** The entries `NAME<<END … END` of GITHUB_ENV. */
function readEnvFile(text: string): Record<string, string> {
  const entries: Record<string, string> = {}
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, end] = /^([^=<]+)<<(.+)$/.exec(lines[at] ?? '') ?? []
    if (name === undefined) continue
    const stop = lines.indexOf(end ?? '', at + 1)
    entries[name] = lines.slice(at + 1, stop).join('\n')
    at = stop
  }
  return entries
}
