import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** One file of the built browser app, in each encoding that browsers accept. */
export type AppFile = {
  readonly type: string
  /** Whether its name contains a hash of its content. */
  readonly isHashed: boolean
  readonly encodings: Readonly<Record<'identity' | 'br' | 'gzip', Buffer>>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

const BROTLI_QUALITY = 9

/** The built app, in memory: it is small, and so no path of a request reaches the file system. A request for a page
 * picks up a new build. */
export class AppFiles {
  readonly #folder: string
  #build: Build = { builtAtMs: -1, paths: new Map(), loaded: new Map() }

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @param name the page's file: `approve.html` */
  async page(name: string): Promise<AppFile | null> {
    await this.#lookForNewBuild()
    return await this.find(name)
  }

  /** @param path as in the URL, without the leading slash: `assets/index-4f2a.js` */
  async find(path: string): Promise<AppFile | null> {
    if (this.#build.paths.size === 0) await this.#lookForNewBuild()
    const { paths, loaded } = this.#build
    const file = paths.get(path)
    if (file === undefined) return null
    const content = loaded.get(path) ?? readAppFile(path, file)
    loaded.set(path, content)
    return await content
  }

  async #lookForNewBuild(): Promise<void> {
    const entry = await stat(join(this.#folder, 'index.html')).catch(() => null)
    const builtAtMs = entry?.mtimeMs ?? -1
    if (builtAtMs !== this.#build.builtAtMs)
      this.#build = { builtAtMs, paths: await listFiles(this.#folder), loaded: new Map() }
  }
}

type Build = {
  readonly builtAtMs: number
  /** The file on disk for each path in URLs. */
  readonly paths: ReadonlyMap<string, string>
  readonly loaded: Map<string, Promise<AppFile>>
}

async function listFiles(folder: string): Promise<Build['paths']> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [relative(folder, file).split(sep).join('/'), file]))
}

async function readAppFile(path: string, file: string): Promise<AppFile> {
  const identity = await readFile(file)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzip)(identity),
  ])
  const type = TYPES[extname(file)] ?? 'application/octet-stream'
  return { type, isHashed: path.startsWith('assets/'), encodings: { identity, br, gzip: gz } }
}
