import { escapedText } from './visible-text.ts'

// Blanks other than a space, quotes and everything with a meaning in a shell.
const PLAIN = /^[\w@%+=:,./-]+$/

/** An argument as a person types it in a shell, whole: a character that would hide, cover or move others is shown as
 * its escape. */
export function shownArgument(argument: string): string {
  if (PLAIN.test(argument)) return argument
  return `'${escapedText(argument).replaceAll("'", "'\\''")}'`
}
