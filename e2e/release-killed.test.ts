import { expect, onTestFinished, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { createLibrary } from './app-library.ts'
import { killedServer } from './killed-server.ts'
import { Attacker, CarelessApprover, returnedSecret } from './lure.ts'

test.each(hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'])(
  'an approval that is held survives the death of its server before and after its release, on %s',
  async (kind) => {
    const { start, signedFor } = await killedServer(kind)
    const first = await start()
    const headers = await signedFor(first)
    const { bundles } = await createLibrary(first.address, undefined, headers)
    const client = new Attacker(first.address)
    const id = await client.ask('ci', ['loopback'])
    const approved = await new CarelessApprover(first.address, headers).approve(id, {
      bundle: bundles.get('ci') ?? '',
      keys: ['NPM_TOKEN'],
      release: 'loopback',
    })
    await first.stop('SIGKILL')

    const second = await start()
    client.moveTo(second.address)
    expect((await client.context(id)).body).toMatchObject({ status: 'held', held: { by: 'loopback' } })
    expect((await client.release(id, returnedSecret(approved))).status).toBe(200)
    await second.stop('SIGKILL')

    const third = await start()
    onTestFinished(() => third.stop())
    client.moveTo(third.address)
    expect(client.opened(await client.wait(id))).toEqual({ NPM_TOKEN: 'planted-npm_token' })
    const status = async () => (await client.wait(id)).status
    await expect.poll(status, { interval: 3_000 }).toBe(404)
  },
)
