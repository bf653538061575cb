import { createDeviceSeed, type DeviceRequest, signDeviceRequest } from '@keyferry/crypto/device-key'
import { expect } from 'vitest'
import type { TestApi } from './api.ts'
import { ReturningClient } from './returning-client.ts'

/** What a terminal with a key asks, as its client says it. `address`: as a trusted proxy reports it. */
export type Asked = {
  seed: Uint8Array
  address: string
  argv: string[]
  cwd: string
  agent: string | undefined
  use: NonNullable<DeviceRequest['use']>
  release: string[]
  names: string[]
}

export const USE: Asked['use'] = { redaction: 'auto', flags: ['run'] }

/** A new terminal in a network of its own, in which an agent runs a command. */
export function newTerminal(api: TestApi, changes: Partial<Asked> = {}): Asked {
  return {
    seed: createDeviceSeed(),
    address: new ReturningClient(api).address,
    argv: ['npm', 'test'],
    cwd: '/home/sam/shop',
    agent: 'codex',
    use: USE,
    release: ['loopback', 'code'],
    names: [],
    ...changes,
  }
}

/** Ask for a bundle, by its name, signed by the terminal's key. */
export async function askSigned(
  api: TestApi,
  { seed, address, agent, release, names, ...command }: Asked,
  { bundle, nowMs }: { bundle: string; nowMs: number },
) {
  const client = new ReturningClient(api)
  const signed: DeviceRequest = {
    clientPublicKey: client.keyPair.publicKey,
    bundle,
    workspace: undefined,
    templateKeys: names,
    argvMasked: undefined,
    agent,
    reason: undefined,
    ...command,
  }
  const body = {
    bundle_id: bundle,
    template_keys: names,
    ...command,
    meta: agent === undefined ? {} : { agent, command: command.argv.join(' ') },
    device: signDeviceRequest(seed, signed, new Date(nowMs).toISOString()),
  }
  const answer = await client.ask({ ...client.returning(release), ...body }, { 'x-forwarded-for': address })
  expect(answer.status).toBe(201)
  return { client, id: answer.json.id, json: answer.json }
}
