import * as oidc from 'openid-client'

/** How this server proves to the token endpoint which client it is.
 * @param secret `null`: a public client
 * @param supported the methods that the discovery document lists */
export function clientAuthentication(
  secret: string | null,
  supported: readonly string[] | undefined,
): oidc.ClientAuth {
  if (secret === null) return oidc.None()
  // The body has one encoding, while providers disagree on how a secret is encoded for Basic.
  return supported?.includes('client_secret_post') ? oidc.ClientSecretPost(secret) : basic(secret)
}

/** HTTP Basic as RFC 6749 asks for it, but with `-`, `_`, `.` and `~` as they are: a provider that decodes the secret
 * reads the same, and so does one that does not decode. */
function basic(secret: string): oidc.ClientAuth {
  return (_server, client, _body, headers) => {
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

function formEncoded(text: string): string {
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replaceAll('%20', '+')
}
