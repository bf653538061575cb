import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** One file of the built browser app, in the encodings that a browser may ask for. */
export type AppFile = {
  readonly type: string
  /** Its name holds a hash of its content. */
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

/** The built app, held in memory: it is small, and no path of a request ever reaches the file system. A folder that is
 * still empty is looked at again on the next call. */
export class AppFiles {
  readonly #folder: string
  readonly #loaded = new Map<string, Promise<AppFile>>()
  #paths: Promise<ReadonlyMap<string, string>> | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @param path as the URL names it, without a leading slash: `assets/index-4f2a.js` */
  async find(path: string): Promise<AppFile | null> {
    this.#paths ??= listFiles(this.#folder)
    const paths = await this.#paths
    if (paths.size === 0) this.#paths = null
    const file = paths.get(path)
    return file === undefined ? null : await this.#load(path, file)
  }

  #load(path: string, file: string): Promise<AppFile> {
    const loaded = this.#loaded.get(path) ?? readAppFile(path, file)
    this.#loaded.set(path, loaded)
    return loaded
  }
}

/** @returns each file's place on disk by its path in URLs */
async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
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
