const ORIGIN_FIELDS = [
  'ip',
  'user_agent',
  'requester_ip',
  'hostname',
  'os',
  'user',
  'program',
  'email',
  'workspace',
] as const

/** What may identify a person. `ip` and `user_agent` are of the call; `requester_ip`, `hostname`, `os`, `user` and
 * `program` are of the terminal that gets a delivery, the last four as it claims. `program` is only the program's name:
 * people type secrets into its arguments. `workspace`: the name that the person gave it, which may have their own. */
export type Origin = { readonly [Field in (typeof ORIGIN_FIELDS)[number]]?: string }

const ORIGIN_BYTES = 2_048
const ORIGIN_CHARACTERS = 200

/** The text of an event's origin, at most 2 KiB: JSON with its members in a fixed order. `salt` keeps the hash of an
 * erased origin from being guessed.
 * @returns null when nothing is known */
export function originText(origin: Origin | null, salt: string): string | null {
  if (origin === null) return null
  return fitting(ORIGIN_CHARACTERS, ORIGIN_BYTES, (characters) => {
    const fields = ORIGIN_FIELDS.flatMap((field) => {
      const text = origin[field]
      return text === undefined ? [] : [[field, text.toWellFormed().slice(0, characters).toWellFormed()]]
    })
    return JSON.stringify({ ...Object.fromEntries(fields), salt })
  })
}

/** Make a text, with half the size of what may be long until it fits. */
export function fitting(size: number, maxBytes: number, text: (size: number) => string): string {
  const made = text(size)
  return Buffer.byteLength(made) <= maxBytes || size === 0
    ? made
    : fitting(Math.floor(size / 2), maxBytes, text)
}
