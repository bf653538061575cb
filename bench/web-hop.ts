import { startProcess } from '../e2e/node-process.ts'
import { SERVER_PROGRAM } from '../e2e/programs.ts'
import { ownerNamed } from '../e2e/signed-client.ts'
import { SECRET, startApi, temporaryFolder } from './contenders.ts'
import { makeBundle } from './library.ts'
import { load } from './load.ts'
import { type Benchmark, rounded, shown } from './measurement.ts'
import { comparison, inTurns } from './turns.ts'

const BUNDLE_KEYS = 20

/** The same reads and writes through the web-facing layer and directly at the API: the cost of the second hop. */
export const webHop: Benchmark = async (options) => {
  const api = await startApi()
  const web = await startProcess({
    script: SERVER_PROGRAM,
    words: ['web'],
    env: { DATA_DIR: temporaryFolder(), BFF_SHARED_SECRET: SECRET, API_URL: api.address },
  })
  // The web-facing layer in local mode works for this one person.
  const owner = await ownerNamed('local', api.address, SECRET)
  const { keyId, bundleId } = await makeBundle(owner, 'hop', BUNDLE_KEYS)
  const compare = async (what: string, path: string) => {
    const subject = { address: web.address, pids: [web.pid, api.pid], call: { path } }
    const baseline = { address: api.address, pids: [api.pid], call: { path, headers: owner.headers } }
    const turns = await inTurns({ subject, baseline }, options)
    return comparison({ what: `${what} through the web layer`, beside: 'API directly', target: null }, turns)
  }
  const throughput = [
    await compare('read a key', `/api/v1/keys/${keyId}`),
    await compare('read a bundle of 20', `/api/v1/bundles/${bundleId}`),
  ]
  const path = `/api/v1/keys/${keyId}`
  const one = { seconds: options.seconds, connections: 1 }
  const direct = await load(api.address, { path, headers: owner.headers }, one)
  const through = await load(web.address, { path }, one)
  await Promise.all([web.stop('SIGKILL'), api.stop('SIGKILL')])
  const addedMs = 1_000 / through.perSecond - 1_000 / direct.perSecond
  const figures = {
    what: 'time that the second hop adds, one caller',
    subject: `${rounded(1_000 / through.perSecond)} ms`,
    baseline: `${rounded(1_000 / direct.perSecond)} ms API directly`,
  }
  return [...throughput, shown(`${rounded(addedMs)} ms`, figures)]
}
