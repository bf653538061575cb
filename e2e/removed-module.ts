import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { runApproved } from './approved-line.ts'
import { ROOT } from './documents.ts'
import { ownTerminal, startedBy } from './fresh-clone.ts'

const PACKAGES = ['contract', 'crypto', 'plumbing', 'api', 'web', 'cli', 'server', 'deploy']

/** The optional modules, each with what only it knows: a path of the API, or words of the client. A mail has neither. */
export const REMOVABLE: Readonly<Record<string, `/${string}` | `keyferry ${string}` | null>> = {
  accounts: '/api/v1/auth/passkeys',
  machines: '/api/v1/machines',
  webhooks: '/api/v1/webhooks',
  mail: null,
  doctor: 'keyferry doctor --brief',
  mcp: 'keyferry mcp </dev/null',
  verify: 'keyferry audit verify .env',
  watch: 'keyferry run --watch -- true',
}

const NOT_COPIED = /\/(node_modules|dist|test)$|\.(test|contract)\.tsx?$/

/** A copy of the product without one of its optional modules: its folders, and its line in each list. */
export class CopyWithout {
  readonly #folder = mkdtempSync(join(tmpdir(), 'keyferry-removed-'))
  readonly #copy = join(this.#folder, 'copy')
  readonly #module: string

  constructor(module: string) {
    this.#module = module
    for (const name of PACKAGES)
      cpSync(join(ROOT, name), join(this.#copy, name), {
        recursive: true,
        filter: (path) => !NOT_COPIED.test(path),
      })
    for (const file of ['launch.cjs', 'package.json', 'package-lock.json', 'tsconfig.json'])
      cpSync(join(ROOT, file), join(this.#copy, file))
    this.#linkPackages()
    this.#remove(module)
  }

  // Other packages are those of this clone; the packages of the project are those of the copy.
  #linkPackages(): void {
    const [from, to] = [join(ROOT, 'node_modules'), join(this.#copy, 'node_modules')]
    mkdirSync(join(to, '@keyferry'), { recursive: true })
    for (const name of readdirSync(from))
      if (name !== '@keyferry') symlinkSync(join(from, name), join(to, name))
    for (const name of readdirSync(join(from, '@keyferry')))
      symlinkSync(join('../..', name), join(to, '@keyferry', name))
  }

  #remove(module: string): void {
    const found = new Set<string>()
    for (const list of globSync('{contract,api,web,cli,server}/**/modules.ts', { cwd: this.#copy })) {
      const lines = readFileSync(join(this.#copy, list), 'utf8').split('\n')
      const others = lines.filter((line) => !line.startsWith(`export * as ${module} `))
      if (others.length < lines.length - 1) throw new Error(`${list} names ${module} twice`)
      if (others.length < lines.length) found.add(list.slice(0, list.indexOf('/')))
      writeFileSync(join(this.#copy, list), others.join('\n'))
    }
    if (found.size === 0) throw new Error(`no list names ${module}`)
    for (const part of found)
      for (const place of globSync(`${part}/**/${module}`, { cwd: this.#copy }))
        rmSync(join(this.#copy, place), { recursive: true })
  }

  /** @throws Error with what the compiler printed */
  checkTypes(): void {
    const include = ['contract', 'crypto', 'plumbing', 'api', 'web/server', 'cli/src', 'server/src']
    for (const [project, options] of [
      ['.', { include }],
      ['web/app', {}],
    ] as const) {
      const file = join(this.#copy, project, 'tsconfig.removed.json')
      writeFileSync(file, JSON.stringify({ extends: './tsconfig.json', ...options }))
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
      const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', file], { encoding: 'utf8' })
      if (status !== 0) throw new Error(stdout)
    }
  }

  /** Start the server, import a file and deliver it.
   * @returns what the program printed that got the value, and whether something of the module is still there */
  async deliver(): Promise<{ output: string; isGone: boolean }> {
    const { PATH, ...env } = ownTerminal()
    const started = { ...env, PATH, DATA_DIR: join(this.#folder, 'data'), HOME: this.#folder }
    const server = await startedBy('exec node launch.cjs server/bin/keyferry-server.js', this.#copy, started)
    try {
      const program = join(this.#copy, 'cli/bin/keyferry.js')
      writeFileSync(
        join(this.#folder, 'keyferry'),
        `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
        { mode: 0o755 },
      )
      writeFileSync(join(this.#folder, '.env'), 'GREETING=delivered without it\n')
      const place = { folder: this.#folder, server: server.url, PATH: `${this.#folder}${delimiter}${PATH}` }
      await runApproved('keyferry import .env --bundle dev/app', place)
      const { output } = await runApproved('keyferry run dev/app -- printenv GREETING', place)
      const own = REMOVABLE[this.#module] ?? null
      if (own === null) return { output, isGone: true }
      if (own.startsWith('/')) {
        const [answer, named] = [
          await fetch(server.url + own),
          await fetch(`${server.url}/api/v1/openapi.json`),
        ]
        return { output, isGone: answer.status === 404 && !(await named.text()).includes(`"${own}"`) }
      }
      return { output, isGone: (await runApproved(own, place)).status === 2 }
    } finally {
      await server.stop()
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
