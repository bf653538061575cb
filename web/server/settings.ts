export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string | null
  /** Whether an e-mail counts as verified when the provider does not say. */
  trustsEmail: boolean
}

export type ClerkSettings = {
  issuer: string
  jwtKey: string | null
  publishableKey: string
  secretKey: string | null
  /** Origin of the provider's own API. */
  apiUrl: string
  authorizedParties: readonly string[]
}

export type IdentitySettings =
  | { mode: 'local' }
  | { mode: 'accounts' }
  | ({ mode: 'oidc' } & OidcSettings)
  | ({ mode: 'clerk' } & ClerkSettings)

/** What the web-facing layer needs to know to start; read from the environment by the server program alone. */
export type WebSettings = {
  listen: { host: string; port: number }
  /** Origin under which people and clients reach this layer, without a trailing slash; `null`: where it listens. */
  publicUrl: string | null
  api: { socketPath: string } | { url: string }
  /** Absolute; holds the session store when there is no Redis. */
  dataDir: string
  redisUrl: string | null
  /** The first signs. */
  sharedSecrets: readonly [string, ...string[]]
  identity: IdentitySettings
  identityWebhookSecret: string | null
  maxBodyBytes: number
  /** Connections that one address may hold at the same time; proxies of `trustProxy` have no bound. */
  maxConnectionsPerAddress: number
  /** Addresses or networks whose X-Forwarded-* is believed. */
  trustProxy: readonly string[]
  /** Where /metrics is served. `elsewhere`: counted here, served by the other layer of this process; `null`: neither. */
  metrics: { host: string; port: number } | 'elsewhere' | null
  logLevel: string
  version: string
}
