const BYTES = 32

/** A value that nobody can guess: 32 random bytes in the letters, digits, `-` and `_` of base64url. */
export function randomValue(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
}
