import type { endpoints } from '@keyferry/contract'
import { fillPath } from '@keyferry/contract/client'
import type { Exchange, ExchangeAnswer } from '../ground/exchange.ts'

type Table = typeof endpoints

// The endpoints that this client calls. The compiler holds them equal to the contract's table, which is not imported
// itself, because its schemas are larger than the rest of the client.
const ENDPOINTS = {
  compareBundles: ['GET', '/api/v1/compare'],
  createDelivery: ['POST', '/api/v1/deliveries'],
  createRequest: ['POST', '/api/v1/requests'],
  detachKey: ['DELETE', '/api/v1/bundles/{bundle_id}/keys/{key_id}'],
  forgetDevice: ['POST', '/api/v1/grants/forget'],
  getBundle: ['GET', '/api/v1/bundles/{bundle_id}'],
  getDepositKey: ['GET', '/api/v1/deposit-key'],
  getHealth: ['GET', '/healthz'],
  getMe: ['GET', '/api/v1/me'],
  getOwnMachine: ['GET', '/api/v1/machine'],
  getSession: ['GET', '/session'],
  importVariables: ['POST', '/api/v1/imports'],
  listBundles: ['GET', '/api/v1/bundles'],
  listReceiptKeys: ['GET', '/api/v1/receipt-keys'],
  listTenants: ['GET', '/api/v1/tenants'],
  releaseRequest: ['POST', '/api/v1/requests/{request_id}/release'],
  waitForApproval: ['GET', '/api/v1/requests/{request_id}/wait'],
  waitForChange: ['POST', '/api/v1/deliveries/{delivery_id}/wait'],
  waitForRememberedChange: ['POST', '/api/v1/grants/wait'],
  withdrawRequest: ['POST', '/api/v1/requests/{request_id}/withdraw'],
} as const satisfies { readonly [N in keyof Table]?: readonly [Table[N]['method'], Table[N]['path']] }

export type EndpointName = keyof typeof ENDPOINTS

/** A server, and how to reach it. */
export type Server = { readonly server: string; readonly exchange: Exchange }

export type CallOptions = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** 20 s unless given. */
  readonly timeoutMs?: number
  /** 64 KiB unless given. */
  readonly maxBodyBytes?: number
}

/** Call an endpoint of the contract by its name.
 * @throws NetworkError */
export async function callEndpoint(
  { server, exchange }: Server,
  name: EndpointName,
  { params, query, headers, body, timeoutMs = 20_000, maxBodyBytes = 64 * 1024 }: CallOptions = {},
): Promise<ExchangeAnswer> {
  const [method, path] = ENDPOINTS[name]
  return await exchange({
    method,
    url: server + fillPath(path, { ...params }, { ...query }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs,
    maxBodyBytes,
  })
}
