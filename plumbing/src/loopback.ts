import { isIP } from 'node:net'

/** Whether only this machine can reach the host.
 * @param host a name or an address; brackets around an IPv6 address are optional */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}
