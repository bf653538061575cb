import { lookup } from 'node:dns/promises'
import type { Agent } from 'node:http'
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import { isLoopback } from '@keyferry/plumbing/loopback'
import { http, https } from '@keyferry/plumbing/node-http'
import { TargetRefused, type TargetRules } from '../domain/base/outgoing-target.ts'
import { innerAddress, isCallable, isIn, listOf } from './address-rules.ts'

/*
 * The guard of all calls that leave the API: to issuers of ID tokens, for one. Owners name these addresses, so without
 * it a member of a workspace could have the server call its own network. The form of the address is judged first, a
 * literal host with it, because no name is resolved for one. A name is judged while the connection is made, over all
 * of its addresses, and the connection goes to one of those: a name server that answers differently the next time
 * changes nothing.
 */

type Resolved = { address: string; family: number }
type LookupDone = Parameters<LookupFunction>[2]

export type GuardOptions = {
  /** The setting ALLOW_PRIVATE_TARGETS: networks that may be called although they are not public. */
  ownNetworks: readonly string[]
  /** The server's own stores, which may not be called in any network. */
  ownStores: readonly { host: string; port: number }[]
  /** The setting EGRESS_PROXY: calls go through it, so it resolves and judges names. */
  proxy?: string | null
  /** The system's resolver when absent. */
  resolve?: (host: string) => Promise<readonly Resolved[]>
}

const PORTS = new Set([443, 8443])
const LOOPBACK = listOf(['127.0.0.0/8', '::1'])

export class Guard implements TargetRules {
  readonly #ownNetworks: BlockList
  readonly #ownStores: GuardOptions['ownStores']
  readonly #proxied: Proxied | null
  readonly #resolve: NonNullable<GuardOptions['resolve']>

  constructor({ ownNetworks, ownStores, resolve, proxy = null }: GuardOptions) {
    this.#proxied = proxy === null ? null : agentsOf(proxy)
    this.#ownNetworks = listOf(ownNetworks)
    this.#ownStores = ownStores
    this.#resolve = resolve ?? ((host) => lookup(host, { all: true }))
  }

  allowed(address: string): URL {
    const url = URL.parse(address)
    if (url === null) throw new TargetRefused('it is no URL')
    const host = hostOf(url)
    if (url.username !== '' || url.password !== '') throw new TargetRefused('it holds a user or a password')
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(host)))
      throw new TargetRefused('it has to begin with https://')
    if (isIP(host) === 0) return url
    this.#requireCallable(host, url)
    return url
  }

  /** As `allowed`, right before a connection. A literal host is never looked up, so this judges it wholly.
   * @throws TargetRefused */
  async connectable(address: string): Promise<URL> {
    const url = this.allowed(address)
    if (isIP(hostOf(url)) !== 0) await this.#requireForeign(hostOf(url), url)
    return url
  }

  /** How to connect: through the proxy, or to an address of the host that is judged for this connection. */
  wayTo(url: URL): { agent: Agent } | { agent: false; lookup: LookupFunction } {
    if (this.#proxied) return { agent: url.protocol === 'http:' ? this.#proxied.http : this.#proxied.https }
    return { agent: false, lookup: this.#lookupFor(url) }
  }

  // Resolves the host for one connection; an error if any of its addresses may not be called.
  #lookupFor(url: URL): LookupFunction {
    return (host, options, done) => void this.#answer({ host, url, isAll: options.all === true }, done)
  }

  async #answer(
    { host, url, isAll }: { host: string; url: URL; isAll: boolean },
    done: LookupDone,
  ): Promise<void> {
    try {
      const found = await this.#resolved(host, url)
      const [first] = found
      if (isAll) done(null, [...found])
      else done(null, first?.address ?? '', first?.family ?? 4)
    } catch (error) {
      done(error instanceof Error ? error : new Error('not resolved'), '')
    }
  }

  async #resolved(host: string, url: URL): Promise<readonly Resolved[]> {
    const found = await this.#resolve(host)
    if (found.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
    for (const { address } of found) this.#requireCallable(address, url)
    for (const { address } of found) await this.#requireForeign(address, url)
    return found
  }

  #requireCallable(address: string, url: URL): void {
    if (!isCallable(address, this.#ownNetworks)) throw new TargetRefused('its network is not public')
    const isOwn = isIn(this.#ownNetworks, innerAddress(address))
    if (!PORTS.has(portOf(url)) && !isOwn) throw new TargetRefused('only the ports 443 and 8443 are allowed')
    const isClear = url.protocol === 'http:'
    if (isClear && !isIn(LOOPBACK, innerAddress(address)))
      throw new TargetRefused('it has to begin with https://')
  }

  // Only networks that the operator allowed can contain the stores.
  async #requireForeign(address: string, url: URL): Promise<void> {
    if (!isIn(this.#ownNetworks, innerAddress(address))) return
    for (const { host, port } of this.#ownStores) {
      if (port !== portOf(url)) continue
      const places = isIP(host) === 0 ? await this.#resolve(host).catch(() => []) : [{ address: host }]
      if (places.some((place) => innerAddress(place.address) === innerAddress(address)))
        throw new TargetRefused('it is a store of this server')
    }
  }
}

type Proxied = { http: Agent; https: Agent }

function agentsOf(proxy: string): Proxied {
  const proxyEnv = { http_proxy: proxy, https_proxy: proxy }
  return { http: new http.Agent({ proxyEnv }), https: new https.Agent({ proxyEnv }) }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port)
}
