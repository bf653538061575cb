import { type ChildProcess, spawn } from 'node:child_process'
import { createClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { expect, test } from 'vitest'
import { hasPostgres, ownPostgres } from '../plumbing/test/postgres.ts'
import { createLibrary } from './app-library.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { startServer } from './start-server.ts'

const ROOT_KEY = formatRootKey(generateRootKey())

test.skipIf(!hasPostgres())(
  'after a crash of PostgreSQL the waiting client asks again, but not after a denial',
  async () => {
    const postgres = await ownPostgres()
    const server = await startServer({ env: { DATABASE_URL: postgres.url, ROOT_KEY } })
    await createLibrary(server.url)
    const person = personAt(server.url)
    const denied = await person.ask()
    await person.deny(denied.id)
    const lost = await person.ask()
    const run = startRun(server.url)
    const [first] = await run.asked(1)

    await postgres.crash()

    const [, second] = await run.asked(2)
    expect(run.events()).toContain('asked_again')
    expect(second?.id).not.toBe(first?.id)
    expect(second?.userCode).not.toBe(first?.userCode)
    await expect(person.approve(String(first?.id))).rejects.toMatchObject({ status: 404 })
    await person.approve(String(second?.id))
    expect(await run.ended).toBe('3000\n')

    expect(await person.lost(lost)).toBe(true)
    expect(await person.lost(denied)).toBe(false)
    const later = await person.ask()
    expect(later.epoch).not.toBe(lost.epoch)
    await person.deny(later.id)
    expect(await person.lost({ ...later, id: '0'.repeat(32) })).toBe(false)
    await server.dispose()
    await postgres.dispose()
  },
)

type Asked = { id: string; epoch: string | undefined; verifier: string }

/** A person who decides, and a client of their own. */
function personAt(url: string) {
  const call = createClient(url)
  return {
    async ask(): Promise<Asked> {
      const verifier = generatePollVerifier()
      const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
      const body = { client_pubkey, poll_challenge: pollChallenge(verifier), may_ask_again: true }
      const { id, epoch } = await call('POST', '/api/v1/requests', { body })
      return { id, epoch, verifier }
    },
    deny: (id: string) => call('DELETE', '/api/v1/requests/{request_id}', { params: { request_id: id } }),
    async approve(id: string): Promise<void> {
      const bundles = await call('GET', '/api/v1/bundles', {})
      const bundle = bundles.find(({ name }) => name === 'dev/app')
      const body = { bundle_id: bundle?.id ?? '', include_keys: ['PORT'] }
      await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
        params: { request_id: id },
        body,
      })
    },
    /** Whether the server says that it lost a request. */
    async lost({ id, epoch = '', verifier }: Asked): Promise<boolean> {
      const headers = { 'x-poll-verifier': verifier }
      const answer = await fetch(`${url}/api/v1/requests/${id}/wait?epoch=${epoch}`, { headers })
      expect(answer.status).toBe(404)
      const { details = {} } = JSON.parse(await answer.text()) as { details?: { lost?: boolean } }
      return details.lost === true
    },
  }
}

/** The real client, which runs a program with a value. */
function startRun(url: string) {
  const { PATH, HOME } = process.env
  const words = ['run', '--json', '--no-open', 'dev/app', '--', 'printenv', 'PORT']
  const child = spawn(process.execPath, [CLIENT_PROGRAM, ...words], {
    env: { PATH, HOME, KEYFERRY_SERVER: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stderr = collected(child.stderr)
  const stdout = collected(child.stdout)
  const lines = () => stderr().split('\n').slice(0, -1).map(parsed)
  const asked = () => lines().filter(({ event }) => event === 'asked')
  return {
    events: () => lines().map(({ event }) => event),
    /** The requests, once there are so many. */
    async asked(count: number) {
      await expect.poll(() => asked().length, { message: stderr() }).toBe(count)
      return asked().map(({ approval_url, user_code }) => ({
        id: approval_url?.slice(-32),
        userCode: user_code,
      }))
    },
    ended: new Promise<string>((resolve) => child.once('close', () => resolve(stdout()))),
  }
}

type Line = { event?: string; approval_url?: string; user_code?: string }

const parsed = (line: string): Line => JSON.parse(line)

function collected(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}
