import * as oidc from 'openid-client'

/** How this server proves to the token endpoint which client it is.
 * @param secret `null`: a public client
 * @param supported the methods that the discovery document lists */
export function clientAuthentication(
  secret: string | null,
  supported: readonly string[] | undefined,
): oidc.ClientAuth {
  if (secret === null) return oidc.None()
  // Prefer the body: its encoding is clear, while providers disagree on how Basic encodes a secret.
  return supported?.includes('client_secret_post') ? oidc.ClientSecretPost(secret) : basic(secret)
}

/** HTTP Basic as in RFC 6749, but `-`, `_`, `.` and `~` stay unencoded, so that providers that decode the secret and
 * providers that do not both read it. */
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
