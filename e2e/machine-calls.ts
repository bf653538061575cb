import { createHash } from 'node:crypto'
import { createClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'

type Fetching = {
  bundle: string
  /** A token of the machine, or gives an ID token for the hash of the client's key. */
  credential: string | ((keyHash: string) => Promise<string>)
  /** Needed with an ID token. */
  machineId?: string
}

/** Fetch a bundle's values as a machine does. @returns the names of the values, or the code of the refusal */
export async function fetchAsMachine(
  url: string,
  { bundle, credential, machineId }: Fetching,
): Promise<string[] | string> {
  const { publicKey } = generateKeyPair()
  const hash = createHash('sha256').update(publicKey).digest('base64url')
  const proof = typeof credential === 'string' ? credential : await credential(hash)
  const answer = await fetch(`${url}/api/v1/deliveries`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proof}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      client_pubkey: Buffer.from(publicKey).toString('base64'),
      bundle_id: bundle,
      ...(machineId === undefined ? {} : { machine_id: machineId }),
    }),
  })
  const body: { code?: string; keys?: { name: string }[] } = JSON.parse(await answer.text())
  return body.keys?.map(({ name }) => name) ?? body.code ?? String(answer.status)
}

type Draft = { name: string; description?: string; bundleId?: string }

/** Create a machine that may fetch a bundle. @returns its id */
export async function createMachine(
  url: string,
  { bundleId, ...body }: Draft,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const call = createClient(url)
  const { id: machine_id } = await call('POST', '/api/v1/machines', { headers, body })
  if (bundleId !== undefined) {
    const params = { machine_id, bundle_id: bundleId }
    const path = '/api/v1/machines/{machine_id}/bundles/{bundle_id}'
    await call('PUT', path, { headers, params, body: { scope: 'deliver' } })
  }
  return machine_id
}
