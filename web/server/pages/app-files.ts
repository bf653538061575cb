import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { RefusalNote } from '../http/refusal.ts'

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
// Each is built by itself.
const ENTRIES = ['approve.html', 'index.html']
const NOT_BUILT = 'The browser app is not built. Build it with: npm run build --workspace web\n'

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

  /** Answer with an HTML file of the app that needs no filling in. */
  async send(reply: FastifyReply, entry: string, status = 200): Promise<FastifyReply> {
    const file = await this.page(entry)
    if (file) return sendFile(reply.code(status), file, 'no-store')
    return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT)
  }

  /** Answer with a page that looks like the app but needs no script. */
  async sendNote(reply: FastifyReply, { title, text, way }: RefusalNote): Promise<FastifyReply> {
    const file = await this.page('note.html')
    if (!file) return reply.type('text/plain; charset=utf-8').send(`${title}\n\n${text}\n`)
    const other = way.kind === 'link' ? 'post' : 'link'
    const unused = new RegExp(`<!--${other}-->.*<!--/${other}-->`, 's')
    return sendFilledIn(reply, file, { title, text, label: way.label, path: way.path }, unused)
  }

  async #lookForNewBuild(): Promise<void> {
    const built = ENTRIES.map(
      async (name) => (await stat(join(this.#folder, name)).catch(() => null))?.mtimeMs,
    )
    const builtAtMs = Math.max(...(await Promise.all(built)).map((atMs = -1) => atMs))
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

export function sendFile(reply: FastifyReply, file: AppFile, cacheControl: string): FastifyReply {
  const accepted = (reply.request.headers['accept-encoding'] ?? '').split(',').map((part) => part.trim())
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name)) ?? 'identity'
  reply.type(file.type).header('cache-control', cacheControl).header('vary', 'accept-encoding')
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(file.encodings[encoding])
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Answer with a page of the app in which each `{name}` is replaced by its escaped word. Unknown names stay.
 * @param unused pattern of the part to remove */
export function sendFilledIn(
  reply: FastifyReply,
  { type, encodings }: AppFile,
  words: Readonly<Record<string, string>>,
  unused: RegExp | string = '',
): FastifyReply {
  const html = encodings.identity.toString('utf8').replace(unused, '')
  const filled = html.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const word = Object.hasOwn(words, name) ? words[name] : undefined
    return word === undefined ? whole : word.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? '')
  })
  return reply.type(type).header('cache-control', 'no-store').send(filled)
}
