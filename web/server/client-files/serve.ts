import { PUBLISHER_KEY } from '@keyferry/crypto/signed-sums'
import { ALSO_HEAD } from '@keyferry/plumbing/http-server'
import type { FastifyInstance } from 'fastify'
import type { OwnExchange } from '../http/own-endpoints.ts'
import { Refusal } from '../http/refusal.ts'
import { type ClientFile, ClientFiles } from './client-files.ts'
import { installScript, type ScriptName } from './install-script.ts'

export type ClientOptions = {
  /** The folder with the client's files; it may be missing. */
  folder: string
  version: string
  /** Where clients reach this server. Never taken from a request, whose Host anyone can choose. */
  publicUrl: string
  /** The key that signs releases; tests pass their own. */
  publisherKey?: string | null
}

const SCRIPTS: readonly ScriptName[] = ['install.sh', 'install.ps1']

// A cache must ask whether it still has the right file: a script and its files belong together.
const CACHED = 'public, no-cache'

/** Hand out the client: `/install.sh`, `/install.ps1`, and its files below `/client/`, to anyone. */
export function serveClientFiles(
  app: FastifyInstance,
  { folder, version, publicUrl, publisherKey = PUBLISHER_KEY }: ClientOptions,
): void {
  const clientFiles = new ClientFiles(folder, version)
  for (const name of SCRIPTS) {
    app.get(`/${name}`, ALSO_HEAD, async (_request, reply) => {
      const [files, { signature }] = [await clientFiles.list(), await clientFiles.signed()]
      const signer = signature === '' ? '' : (publisherKey ?? '')
      const script = await installScript(name, { origin: publicUrl, version, files, signer })
      return reply.type('text/plain; charset=utf-8').header('cache-control', CACHED).send(script)
    })
  }
  for (const part of ['list', 'signature'] as const) {
    app.get(`/client/SHA256SUMS${part === 'list' ? '' : '.minisig'}`, ALSO_HEAD, async (_request, reply) => {
      const text = (await clientFiles.signed())[part]
      if (part === 'signature' && text === '') throw noFile()
      return reply.type('text/plain; charset=utf-8').header('cache-control', CACHED).send(text)
    })
  }
  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/client/:name',
    handler: async (request, reply) => {
      const file = (await clientFiles.list()).find(({ name }) => name === request.params.name)
      if (file === undefined) throw noFile()
      return await sendFile(clientFiles, file, { request, reply })
    },
  })
}

async function sendFile(files: ClientFiles, file: ClientFile, { request, reply }: OwnExchange) {
  const etag = `"${file.sha256}"`
  reply.headers({ 'cache-control': CACHED, etag })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  const found = await files.open(file)
  if (found === null) throw noFile()
  reply.headers({
    'content-type': 'application/octet-stream',
    'content-length': found.bytes,
    'content-disposition': `attachment; filename="${file.name}"`,
  })
  if (request.method === 'HEAD') {
    await found.handle.close()
    return reply.send()
  }
  return reply.send(found.handle.createReadStream())
}

function noFile(): Refusal {
  return new Refusal(404, 'not_found', 'this server has no such file')
}
