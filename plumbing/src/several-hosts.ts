/** One address for each host of `scheme://user:password@host:port,host:port/path`. */
export function addressesOf(url: string): string[] {
  const [, before = '', hosts = url, after = ''] =
    /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/i.exec(url) ?? []
  return hosts.split(',').map((host) => `${before}${host}${after}`)
}
