import { once } from 'node:events'
import { createServer } from 'node:http'
// @ts-expect-error the package has no types
import { Provider } from 'oidc-provider'

type Claims = { email?: string; email_verified?: boolean | string | number; name?: string; groups?: unknown }

export type IdentityProviderOptions = {
  /** Where the web-facing layer under test will listen. */
  webUrl: string
  port?: number
  /** What the provider knows of a subject. */
  claimsOf?: (subject: string) => Claims
  authorizationCodeSeconds?: number
}

/** A real OpenID Connect provider on loopback, with its own login pages. */
export type IdentityProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  close(): Promise<void>
}

const CLIENT = { clientId: 'keyferry', clientSecret: 'a client secret of the tests' }

export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const server = createServer().listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const issuer = `http://127.0.0.1:${address.port}`
  server.on(
    'request',
    quietly(() => new Provider(issuer, providerConfiguration(options)).callback()),
  )
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { issuer, ...CLIENT, close }
}

/** Without the provider's advice for use in production. */
function quietly<T>(work: () => T): T {
  const { warn, info } = console
  Object.assign(console, { warn: () => undefined, info: () => undefined })
  try {
    return work()
  } finally {
    Object.assign(console, { warn, info })
  }
}

const LOGOUT_BUTTON = '<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>'

/** What a provider of the tests is made with. */
export function providerConfiguration({
  webUrl,
  claimsOf,
  authorizationCodeSeconds = 60,
}: IdentityProviderOptions) {
  const known = claimsOf ?? ((subject: string) => ({ email: `${subject}@example.com`, email_verified: true }))
  return {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${webUrl}/auth/callback`],
        post_logout_redirect_uris: [`${webUrl}/`],
        backchannel_logout_uri: `${webUrl}/auth/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: ['a cookie key of the tests'] },
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        logoutSource: (context: { body: string }, form: string) => {
          context.body = `<!doctype html>${form}${LOGOUT_BUTTON}`
        },
        postLogoutSuccessSource: (context: { body: string }) => {
          context.body = '<!doctype html>signed out'
        },
      },
    },
    // The provider sends nothing to loopback of itself, which is where the tests listen.
    fetch: async (url: string, { dispatcher: _guard, ...init }: RequestInit & { dispatcher?: unknown }) =>
      await fetch(url, init),
    pkce: { required: () => true },
    ttl: {
      AuthorizationCode: authorizationCodeSeconds,
      AccessToken: 600,
      Session: 3_600,
      Grant: 3_600,
      Interaction: 600,
      IdToken: 600,
    },
    findAccount: (_context: unknown, subject: string) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...known(subject) }),
    }),
  }
}
