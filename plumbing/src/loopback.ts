// Without `node:net`, which the client's help must not load.
const IPV4_LOOPBACK = /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

/** Whether a program that connects to the host, or listens on it, stays on this machine. Names such as
 * `team.localhost` are not among them: a resolver may send them elsewhere.
 * @param host a name or an address; brackets around an IPv6 address are optional */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || IPV4_LOOPBACK.test(name)
}

/** As `isThisMachine`, for an address that a browser opens or a caller checks again after it resolved it: browsers keep
 * each name under `.localhost` on this machine. */
export function isLoopback(host: string): boolean {
  return isThisMachine(host) || host.toLowerCase().endsWith('.localhost')
}
