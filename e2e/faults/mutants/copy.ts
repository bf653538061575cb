import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../documents.ts'

const FILES = ['ls-files', '--cached', '--others', '--exclude-standard']
const UNTIL = 'plumbing/test/until.ts'
const PATIENT = '5 * 60_000'

const LOOSELY = [
  ['--allowUnreachableCode', 'true'],
  ['--noUnusedLocals', 'false'],
  ['--noUnusedParameters', 'false'],
].flat()

/** What a test file led to. */
export type Tested = { readonly file: string; readonly isPassed: boolean; readonly ms: number }

type Report = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
  }[]
}

/** A copy of this clone, with what is not committed yet. Faults are made there, never in the person's files. */
export class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), 'keyferry-mutants-'))

  constructor() {
    // PostgreSQL runs under another account, and its programs are in this folder.
    chmodSync(this.folder, 0o711)
    const files = execFileSync('git', FILES, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
    for (const file of files)
      if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(this.folder, file))
    // Hard links: symbolic ones would lead from a package of the project back to this clone.
    const how = process.platform === 'linux' ? '-al' : '-a'
    execFileSync('cp', [how, join(ROOT, 'node_modules'), this.folder])
    for (const cache of ['.cache', '.vite', '.vite-temp'])
      rmSync(join(this.folder, 'node_modules', cache), { recursive: true, force: true })
    // A test that waits for what a mutant never does fails sooner.
    this.write(UNTIL, this.read(UNTIL).replace(PATIENT, '45_000'))
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  /** Run tests of the copy; what they print is not shown. The run and its programs end after the limit.
   * @returns null if the run did not end in time */
  async test(words: readonly string[], limitMs: number, databases = 'sqlite'): Promise<Tested[] | null> {
    const report = join(this.folder, 'report.json')
    rmSync(report, { force: true })
    const vitest = join(this.folder, 'node_modules/vitest/vitest.mjs')
    const options = ['--passWithNoTests', '--reporter=json', `--outputFile=${report}`]
    const child = spawn(process.execPath, [vitest, 'run', ...words, ...options], {
      cwd: this.folder,
      env: { ...process.env, DATABASES: databases },
      stdio: 'ignore',
      detached: true,
    })
    const closed = once(child, 'close')
    const limit = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limitMs)
    const [code, signal] = await closed
    clearTimeout(limit)
    if (signal) return null
    // Without a report, the product could not be built.
    if (!existsSync(report)) return [{ file: 'the build', isPassed: code === 0, ms: 0 }]
    const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'))
    return testResults.map(({ name, status, startTime, endTime }) => ({
      file: name.slice(this.folder.length + 1),
      isPassed: status === 'passed',
      ms: endTime - startTime,
    }))
  }

  /** Whether the project with this file compiles. Code that cannot be reached, and names that are not used, may be there:
   * changes leave some. */
  async compiles(file: string): Promise<boolean> {
    const project = file.startsWith('web/app') ? 'web/app' : '.'
    const tsc = join(this.folder, 'node_modules/typescript/bin/tsc')
    const words = [tsc, '--checkers', '1', '-p', project, ...LOOSELY]
    const child = spawn(process.execPath, words, { cwd: this.folder, stdio: 'ignore' })
    const [code, signal] = await once(child, 'close')
    if (signal) throw new Error(`tsc ended by ${signal}`)
    return code === 0
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
