import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of the client that this server hands out. */
export type ClientFile = {
  /** The system that it is for, for example `linux-x64-musl`; `package`: the npm package, for every system. */
  readonly platform: string
  readonly name: string
  /** Hexadecimal. */
  readonly sha256: string
}

const CHECKSUMS = 'SHA256SUMS'
const SIGNATURE = `${CHECKSUMS}.minisig`
const LINE = /^([0-9a-f]{64}) [ *]([\w.+-]+)$/

/** The folder that `npm run release` writes. Only files of this server's version that its SHA256SUMS lists are handed
 * out, so no path of a request reaches the file system. */
export class ClientFiles {
  readonly #folder: string
  readonly #version: string
  #listed: { changedMs: number; files: readonly ClientFile[] } = { changedMs: -1, files: [] }

  constructor(folder: string, version: string) {
    this.#folder = folder
    this.#version = version
  }

  /** What there is; a new release is found without a restart. */
  async list(): Promise<readonly ClientFile[]> {
    const changedMs = (await unlessMissing(stat(join(this.#folder, CHECKSUMS)), null))?.mtimeMs ?? -1
    if (changedMs !== this.#listed.changedMs) this.#listed = { changedMs, files: await this.#read() }
    return this.#listed.files
  }

  /** The list and its signature as they are in the folder; empty if missing. */
  async signed(): Promise<{ list: string; signature: string }> {
    const [list, signature] = await Promise.all([CHECKSUMS, SIGNATURE].map((name) => this.#text(name)))
    return { list: list ?? '', signature: signature ?? '' }
  }

  /** An open file and its size, or null if it is not there. The caller closes it. */
  async open({ name }: ClientFile) {
    const handle = await unlessMissing(open(join(this.#folder, name), 'r'), null)
    return handle && { handle, bytes: (await handle.stat()).size }
  }

  async #read(): Promise<readonly ClientFile[]> {
    const text = await this.#text(CHECKSUMS)
    const files = text.split('\n').flatMap((line) => {
      const [, sha256 = '', name = ''] = LINE.exec(line) ?? []
      const platform = this.#platformOf(name)
      return platform === null ? [] : [{ platform, name, sha256 }]
    })
    const found = await Promise.all(
      files.map(({ name }) => unlessMissing(stat(join(this.#folder, name)), null)),
    )
    return files.filter((_, index) => found[index]?.isFile() === true)
  }

  #text(name: string): Promise<string> {
    return unlessMissing(readFile(join(this.#folder, name), 'utf8'), '')
  }

  #platformOf(name: string): string | null {
    const prefix = `keyferry-${this.#version}`
    if (name === `${prefix}.tgz`) return 'package'
    if (!name.startsWith(`${prefix}-`)) return null
    return /^([a-z0-9-]+)(?:\.exe)?\.gz$/.exec(name.slice(prefix.length + 1))?.[1] ?? null
  }
}

async function unlessMissing<Found, Other>(work: Promise<Found>, otherwise: Other): Promise<Found | Other> {
  return await work.catch((error: unknown) => {
    if (isMissing(error)) return otherwise
    throw error
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code))
}
