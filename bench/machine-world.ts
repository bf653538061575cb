import { Issuer } from '../api/test/issuer.ts'
import type { ApiProcess } from './contenders.ts'
import { makeBundle } from './library.ts'
import type { LoadCall } from './load.ts'
import { newPeer, PUBLIC_KEY } from './open-waits.ts'

/** Machines in turn: one may make 600 deliveries a minute. */
export const MACHINES = 200
const KEYS = 20
/** What the API expects where no PUBLIC_URL is set. */
const AUDIENCE = 'keyferry'

/** Machines that fetch the same bundle of 20 keys, each by a token and by an ID token. */
export type MachineWorld = {
  readonly byToken: LoadCall
  readonly byIdToken: LoadCall
  readonly stop: () => void
}

export async function startMachineWorld({ owner }: ApiProcess, count = MACHINES): Promise<MachineWorld> {
  const issuer = new Issuer()
  await issuer.start()
  const { bundleId } = await makeBundle(owner, 'machines', KEYS)
  const machines = await Promise.all(
    Array.from({ length: count }, (_, at) => newMachine(owner, issuer, { name: `m-${at}`, bundleId })),
  )
  const delivery = (machine_id: string) =>
    JSON.stringify({ client_pubkey: PUBLIC_KEY, bundle_id: bundleId, machine_id })
  const inTurn = (proofs: readonly { id: string; proof: string }[]): LoadCall => {
    let at = 0
    const calls = proofs.map(({ id, proof }) => ({
      headers: { authorization: `Bearer ${proof}`, 'x-forwarded-for': newPeer() },
      body: delivery(id),
    }))
    const vary = () => calls[at++ % calls.length] ?? {}
    return { method: 'POST', path: '/api/v1/deliveries', vary }
  }
  return {
    byToken: inTurn(machines.map(({ id, token }) => ({ id, proof: token }))),
    byIdToken: inTurn(machines.map(({ id, idToken }) => ({ id, proof: idToken }))),
    stop: () => issuer.stop(),
  }
}

async function newMachine(
  { call }: ApiProcess['owner'],
  issuer: Issuer,
  { name, bundleId }: { name: string; bundleId: string },
): Promise<{ id: string; token: string; idToken: string }> {
  const { id } = await call('POST', '/api/v1/machines', { body: { name } })
  const params = { machine_id: id }
  await call('PUT', '/api/v1/machines/{machine_id}/bundles/{bundle_id}', {
    params: { ...params, bundle_id: bundleId },
    body: { scope: 'deliver' },
  })
  const { token } = await call('POST', '/api/v1/machines/{machine_id}/tokens', { params, body: {} })
  const body = { issuer: issuer.url, claims: { sub: [name] } }
  await call('POST', '/api/v1/machines/{machine_id}/trusts', { params, body })
  return { id, token, idToken: await issuer.sign(claims(issuer, name)) }
}

function claims(issuer: Issuer, sub: string) {
  const seconds = Math.floor(Date.now() / 1_000)
  return { iss: issuer.url, aud: AUDIENCE, sub, iat: seconds, exp: seconds + 3_600 }
}
