import { isIP } from 'node:net'

/** Whether only this machine reaches that host.
 * @param host a name or an address, an IPv6 one with or without brackets */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}
