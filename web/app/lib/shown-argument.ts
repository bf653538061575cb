// Blanks other than a space, quotes and everything with a meaning in a shell.
const PLAIN = /^[\w@%+=:,./-]+$/
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u00a0]/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** An argument as a person types it in a shell, whole: a character that is invisible or moves others is shown as its escape. */
export function shownArgument(argument: string): string {
  const visible = argument.replace(UNSEEN, escapeOf)
  if (PLAIN.test(argument)) return visible
  return `'${visible.replaceAll("'", "'\\''")}'`
}

function escapeOf(character: string): string {
  return SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
