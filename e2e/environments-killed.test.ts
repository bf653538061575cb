import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { killedServer, momentsOf } from './killed-server.ts'
import type { NodeProcess } from './node-process.ts'
import { ownerNamed } from './signed-client.ts'

const VARIABLES = 300
// A duplicate with copies of all keys takes about 100 ms, a split a few.
const DUPLICATE_DELAYS_MS = momentsOf([5, 25, 50, 80])
const SPLIT_DELAYS_MS = momentsOf([0, 2, 4, 8])

test.each(hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'])(
  'a duplicate and a split whose server is killed are whole or not there, on %s',
  async (kind) => {
    const { start, signedFor, secret } = await killedServer(kind)
    const first = await start()
    const { call } = await ownerNamed('killed', first.address, secret)
    const entries = Array.from({ length: VARIABLES }, (_, index) => ({
      name: `K${index}`,
      value: `v${index}`,
    }))
    const { bundle_id } = await call('POST', '/api/v1/imports', { body: { bundle: 'dev/app', entries } })
    await first.stop()
    const own = entries.map(({ name }) => name)

    for (const delayMs of DUPLICATE_DELAYS_MS) {
      const name = `copy/${delayMs}`
      const path = `/api/v1/bundles/${bundle_id}/duplicate`
      const { after, isAnswered } = await killDuring({ path, body: { name, own }, delayMs })
      const library = await libraryOf(after)
      const copy = library.bundles.find((bundle) => bundle.name === name)
      const copies = library.keys.filter((key) => key.name.startsWith(`COPY_${delayMs}_`)).length
      expect([0, VARIABLES]).toContain(copies)
      expect(copy?.key_count ?? 0).toBe(copies)
      expect(library.bundles.find((bundle) => bundle.name === 'dev/app')?.key_count).toBe(VARIABLES)
      if (isAnswered) expect(copies).toBe(VARIABLES)
      await after.stop()
    }

    for (const [index, delayMs] of SPLIT_DELAYS_MS.entries()) {
      const name = `K${index}`
      const key = await keyNamed(name)
      const path = `/api/v1/bundles/${bundle_id}/keys/${key}/split`
      const { after, isAnswered } = await killDuring({ path, body: { value: 'mine' }, delayMs })
      const { keys } = await libraryOf(after)
      const owner = await ownerNamed('killed', after.address, secret)
      const params = { bundle_id: bundle_id ?? '' }
      const items = await owner.call('GET', '/api/v1/bundles/{bundle_id}/keys', { params })
      const isSplit = keys.some((other) => other.name === `DEV_APP_${name}`)
      expect(items.find((item) => item.name === name)?.key_name).toBe(isSplit ? `DEV_APP_${name}` : name)
      expect(items.map(({ order }) => order)).toEqual(own.map((_, position) => position))
      if (isAnswered) expect(isSplit).toBe(true)
      await after.stop()
    }

    async function keyNamed(name: string): Promise<string> {
      const server = await start()
      const { keys } = await libraryOf(server)
      await server.stop()
      return keys.find((key) => key.name === name)?.id ?? ''
    }

    async function killDuring({ path, body, delayMs }: { path: string; body: object; delayMs: number }) {
      const server = await start()
      const headers = await signedFor(server)
      const sent = fetch(server.address + path, { method: 'POST', headers, body: JSON.stringify(body) })
      const answer = sent.then(({ status }) => status).catch(() => null)
      await sleep(delayMs)
      await server.stop('SIGKILL')
      return { isAnswered: (await answer) === 201, after: await start() }
    }

    async function libraryOf({ address }: NodeProcess) {
      const owner = await ownerNamed('killed', address, secret)
      const keys = await owner.call('GET', '/api/v1/keys')
      return { keys, bundles: await owner.call('GET', '/api/v1/bundles') }
    }
  },
)
