export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string | null
  /** Whether an e-mail address counts as verified if the provider does not say. */
  trustsEmail: boolean
  /** The claim that lists the groups of a person. */
  groupsClaim?: string
  /** Whether a person without the claim has no groups. */
  absentIsNone?: boolean
}

export type ClerkSettings = {
  issuer: string
  jwtKey: string | null
  publishableKey: string
  secretKey: string | null
  /** Origin of the provider's API. */
  apiUrl: string
  authorizedParties: readonly string[]
}

export type IdentitySettings =
  | { mode: 'local' }
  | { mode: 'accounts' }
  | ({ mode: 'oidc' } & OidcSettings)
  | ({ mode: 'clerk' } & ClerkSettings)

/** Where the server listens: an address, or sockets that another program opened and that this process inherited. */
export type Listening = { host: string; port: number } | { sockets: readonly number[] }

/** The settings of the web-facing layer. Only the server program reads them from the environment. */
export type WebSettings = {
  listen: Listening
  /** Origin under which people and clients reach this layer, without a trailing slash; `null`: the address it listens
   * on. */
  publicUrl: string | null
  /** `null`: /.well-known/security.txt does not exist. */
  securityContact: string | null
  /** `urls`: API nodes, of which any serves any call. */
  api: { socketPath: string } | { urls: readonly string[] }
  /** Absolute path; contains the session store if there is no Redis. */
  dataDir: string
  redisUrl: string | null
  /** Folder with the files of the client that this layer hands out; it may be missing. */
  clientDir: string
  /** The first one signs. */
  sharedSecrets: readonly [string, ...string[]]
  identity: IdentitySettings
  /** Whether the identity provider proves e-mail addresses. */
  provesEmail: boolean
  sessionTimes: { idleMs: number; maxMs: number }
  /** Whether the API learns when a person signed in. */
  saysSignIn: boolean
  identityWebhookSecret: string | null
  maxBodyBytes: number
  /** Connections that one address may have at the same time; proxies of `trustProxy` have no limit. */
  maxConnectionsPerAddress: number
  /** Addresses or networks of proxies that name the client's address, in this header alone. */
  trustProxy: readonly string[]
  trustProxyHeader: string
  /** How long running calls may take to end when this layer stops. */
  stopSeconds: number
  /** Where /metrics is served. `elsewhere`: this layer counts, the other layer of the process serves. `null`: off. */
  metrics: { host: string; port: number } | 'elsewhere' | null
  logLevel: string
  version: string
}
