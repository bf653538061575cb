import { randomUUID } from 'node:crypto'
import type { Exchange } from '../ground/exchange.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import { refusedMachine } from './machine-delivery.ts'
import { errorBody } from './server-failure.ts'

const CALL = { timeoutMs: 20_000, maxBodyBytes: 256 * 1024 }

type Server = { readonly exchange: Exchange; readonly server: string }

/** What the server says about the machine of a token. */
type OwnMachine = {
  readonly name: string
  readonly workspace: string
  /** Names of the bundles that it may fetch. */
  readonly bundles: readonly string[]
  /** ISO timestamp. */
  readonly tokenExpiresAt: string
}

/** Ask which machine a token belongs to.
 * @throws CliError refused · NetworkError */
export async function ownMachine({ exchange, server }: Server, token: string): Promise<OwnMachine> {
  const answer = await exchange({
    ...CALL,
    method: 'GET',
    url: `${server}/api/v1/machine`,
    headers: { authorization: `Bearer ${token}` },
  })
  if (answer.status !== 200) throw refusedMachine(answer, errorBody(answer).code, server)
  const { name, workspace, grants, token: own } = parseObject(answer.body) ?? {}
  const granted = Array.isArray(grants) ? grants.filter(isObject) : []
  return {
    name: String(name),
    workspace: String(field(workspace, 'name')),
    bundles: granted.flatMap(({ bundle, scope }) =>
      scope === 'deliver' ? [String(field(bundle, 'name'))] : [],
    ),
    tokenExpiresAt: String(field(own, 'expires_at')),
  }
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

/** Present an ID token without fetching values: the call names a bundle that does not exist, so the server refuses an identity
 * that it trusts for that reason only.
 * @throws CliError refused, with what is wrong with the identity · NetworkError */
export async function knock(
  { exchange, server }: Server,
  idToken: string,
  claimed: { readonly machineId: string; readonly publicKey: Uint8Array },
): Promise<void> {
  const answer = await exchange({
    ...CALL,
    method: 'POST',
    url: `${server}/api/v1/deliveries`,
    headers: { authorization: `Bearer ${idToken}` },
    body: JSON.stringify({
      client_pubkey: Buffer.from(claimed.publicKey).toString('base64'),
      bundle_id: randomUUID(),
      machine_id: claimed.machineId,
    }),
  })
  const { code } = errorBody(answer)
  if (answer.status !== 403 || code !== 'not_granted') throw refusedMachine(answer, code, server)
}
