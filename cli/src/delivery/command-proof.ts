import { createDeviceSeed, type DeviceProof, signDeviceRequest } from '@keyferry/crypto/device-key'
import { maskedCommandDigest } from '@keyferry/crypto/masked-command'
import type { Parts } from '../ground/parts.ts'
import type { RequestBody } from '../server/approval-requests.ts'
import { terminalKey } from '../state/terminal-key.ts'
import type { Ask } from './ask.ts'
import { canBeShown, shownCommand } from './shown-command.ts'

export type CommandFields = Pick<RequestBody, 'argv' | 'argv_masked' | 'cwd'>

/** The command as the server gets it; empty if it is too long to be shown whole. */
export function commandFields(
  { command }: Pick<Ask, 'command'>,
  seed: Uint8Array | null,
  cwd: string,
): CommandFields {
  const { argv, isMasked } = shownCommand(command)
  if (!canBeShown(argv)) return {}
  const digest = isMasked ? { argv_masked: maskedCommandDigest(command, seed ?? createDeviceSeed()) } : {}
  return { argv, ...digest, ...(cwd === '' ? {} : { cwd }) }
}

/** The seed of this terminal's key; null if the approval shall not be remembered, or no key can be kept here. */
export function seedFor({ server, isRemembered }: Ask, parts: Parts): Uint8Array | null {
  if (!isRemembered) return null
  try {
    return terminalKey(server, parts)
  } catch {
    return null // then every approval is asked for
  }
}

/** Sign the request with the key of this terminal; null if it names no whole command. */
export function proofOf(
  { client_pubkey, bundle_id, workspace, template_keys = [], argv, argv_masked, cwd, meta }: RequestBody,
  seed: Uint8Array,
  time: string,
): DeviceProof | null {
  if (argv === undefined || cwd === undefined) return null
  return signDeviceRequest(
    seed,
    {
      clientPublicKey: Buffer.from(client_pubkey, 'base64'),
      bundle: bundle_id,
      workspace,
      templateKeys: template_keys,
      argv,
      argvMasked: argv_masked,
      cwd,
      agent: meta['agent'],
    },
    time,
  )
}
