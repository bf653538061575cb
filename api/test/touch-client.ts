import type { ApiEndpointName } from '@keyferry/contract'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { confirmAwaitedKey } from '../src/operator-commands.ts'
import type { Answered, CallParts, Identity, TestApi } from './api.ts'

export const SITE = { origin: 'https://keyferry.example.com', rpId: 'keyferry.example.com' }

type Changed = Partial<Parameters<SoftwarePasskey['use']>[0]>

/** What a refused call says that is to be signed. */
export type Asked = {
  statement: string
  token: string
  challenge: string
  rp_id: string
  keys: { id: string; transports: string[] }[]
}

export function askedIn({ status, failure }: Answered): Asked {
  if (status !== 403 || failure?.code !== 'touch_required')
    throw new Error(`no touch was asked for: ${status} ${failure?.error}`)
  return failure.details as Asked
}

/** Make a call, signed where a rule asks for it. */
export async function signedCall<Name extends ApiEndpointName>(
  api: TestApi,
  key: TouchKey,
  name: Name,
  parts: CallParts,
) {
  const answer = await api.call(name, parts)
  if (answer.failure?.code !== 'touch_required') return answer
  return await api.call(name, { ...parts, headers: { ...parts.headers, ...key.sign(askedIn(answer)) } })
}

/** A signing key of a person, on a device. */
export class TouchKey {
  readonly device = new SoftwarePasskey()
  readonly #isSynced: boolean
  #counter = 0

  constructor({ isSynced = false } = {}) {
    this.#isSynced = isSynced
  }

  /** The key as it is added: pending. */
  async add(api: TestApi, as: Identity, changed: Changed = {}) {
    const { json } = await api.call('prepareApprovalKey', { as })
    const { token, challenge } = json
    const passkey = this.device.create({ ...SITE, isSynced: this.#isSynced, challenge, ...changed })
    return await api.call('addApprovalKey', { as, body: { token, name: 'Laptop', passkey } })
  }

  /** The key, confirmed by the operator. */
  async enrol(api: TestApi, as: Identity): Promise<string> {
    const { json } = await this.add(api, as)
    await confirmAwaitedKey(api.settings, json.fingerprint ?? '', async () => true)
    return json.id
  }

  /** The header that answers a refused call. */
  sign(asked: Asked, changed: Changed = {}): Record<string, string> {
    this.#counter += 1
    const { challenge, token } = asked
    const use = { ...SITE, challenge, counter: this.#counter, isSynced: this.#isSynced, ...changed }
    const { id, response } = this.device.use(use)
    const { clientDataJSON, authenticatorData, signature } = response
    return { 'keyferry-touch': [token, id, clientDataJSON, authenticatorData, signature].join('.') }
  }
}

// Each of the five parts in each of seven ways; `npm run faults -- properties` tries more.
const ALTERED = Number(process.env['PROPERTY_RUNS'] ?? 35)

/** The header with one part changed, in many ways: one bit flipped, or the last byte gone. */
export function alteredTouches(headers: Record<string, string>, count = ALTERED): Record<string, string>[] {
  const parts = (headers['keyferry-touch'] ?? '').split('.')
  return Array.from({ length: count }, (_, n) => {
    const altered = parts.map((part, index) => {
      const bytes = Buffer.from(part, 'base64url')
      if (index !== n % parts.length) return part
      if (n % 7 === 6) return bytes.subarray(0, -1).toString('base64url')
      const at = (n * 31) % bytes.length
      bytes.writeUInt8((bytes[at] ?? 0) ^ (1 << (n % 8)), at)
      return bytes.toString('base64url')
    })
    return { 'keyferry-touch': altered.join('.') }
  })
}
