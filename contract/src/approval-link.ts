const BYTES = 16

/** The short address of an approval page: `/a/` and the 128 random bits of the request's id in base64url. Null for an
 * id of another form. */
export function shortApprovalPath(requestId: string): string | null {
  if (!/^[0-9a-f]{32}$/.test(requestId)) return null
  const codes = Array.from({ length: BYTES }, (_, at) =>
    Number.parseInt(requestId.slice(2 * at, 2 * at + 2), 16),
  )
  const text = btoa(String.fromCharCode(...codes))
  return `/a/${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/** The id of the request that the last part of a short address names. Null: it names none. */
export function requestIdOf(shortPart: string): string | null {
  // The last letter has two bits of the id; with any other bits set, several addresses would name one request.
  if (!/^[\w-]{21}[AQgw]$/.test(shortPart)) return null
  const bytes = atob(shortPart.replaceAll('-', '+').replaceAll('_', '/'))
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
