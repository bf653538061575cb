import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LIBRARY_COMMANDS } from '../src/library-commands.ts'
import { readSettings } from '../src/settings/settings.ts'
import { temporaryFolder } from './program.ts'

const SETTINGS = { ROOT_KEY: randomBytes(32).toString('base64') }

let folder: ReturnType<typeof temporaryFolder>
let other: Server
let address: string

beforeAll(async () => {
  folder = temporaryFolder()
  other = createServer(({ headers: { host } }, response) => {
    const isName = host?.startsWith('localhost') === true
    response.writeHead(isName ? 302 : 404, { location: 'http://127.0.0.1:1/' }).end('no JSON')
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const bound = other.address()
  address = `127.0.0.1:${bound !== null && typeof bound === 'object' ? bound.port : 0}`
})

afterAll(() => {
  other.close()
  folder.remove()
})

const exported = (words: string) => {
  const settings = readSettings({ ...SETTINGS, DATA_DIR: folder.path })
  return LIBRARY_COMMANDS['export-library'].run(settings, words, () => undefined)
}

test('a server that is no Keyferry server is named with what it answered', async () => {
  const why = 'answered 404 without a deposit key: is it a Keyferry server?'
  await expect(exported(`http://${address}`)).rejects.toThrow(`http://${address} ${why}`)
})

test('an address without a scheme is http on this machine, and a redirect is not followed', async () => {
  const named = address.replace('127.0.0.1', 'localhost')
  await expect(exported(named)).rejects.toThrow(`cannot reach http://${named}: unexpected redirect`)
})

test.each([
  ['http://keyferry.example.com', 'http://keyferry.example.com is not https'],
  ['ftp://keyferry.example.com', '"ftp://keyferry.example.com" is not an address'],
])('%s: %s', async (server, problem) => {
  await expect(exported(server)).rejects.toThrow(problem)
})
