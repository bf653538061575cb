// Without `node:net`, which the client's help must not load.
const IPV4_LOOPBACK = /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

/** Whether a host is this machine. Browsers keep each name under `.localhost` on this machine, but a resolver may send
 * it elsewhere: the client asks none, and calls of webhooks are checked again after the lookup.
 * @param host a name or an address; brackets around an IPv6 address are optional */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return /^(.*\.)?localhost$/.test(name) || name === '::1' || IPV4_LOOPBACK.test(name)
}
