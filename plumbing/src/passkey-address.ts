import { isIP } from 'node:net'
import { isLoopback } from './loopback.ts'

/** `origin`: of the pages where passkeys work; `rpId`: the host name that they belong to. */
export type PasskeyAddress = { origin: string; rpId: string }

/** Where people use passkeys. Browsers allow them only over https and under a name, or on localhost.
 * @returns null: this address is an IP address or is not secure */
export function passkeyAddress(publicUrl: string): PasskeyAddress | null {
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  if (isAddress || (protocol !== 'https:' && !isLoopback(hostname))) return null
  return { origin, rpId: hostname }
}
