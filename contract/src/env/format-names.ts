import { isAssignableName } from './names.ts'
import { isReservedByGithub, isReservedInFish, isReservedInShells } from './reserved-names.ts'

const DIGIT = 'the name begins with a digit'

const assignable = (name: string): string | null => (isAssignableName(name) ? null : DIGIT)
const any = (): string | null => null

/** Each format of `keyferry pull`, and why it cannot express a variable of this name with any value; null if it can. */
export const NAME_RULES = {
  sh: (name: string) => assignable(name) ?? (isReservedInShells(name) ? 'shells reserve this name' : null),
  fish: (name: string) => assignable(name) ?? (isReservedInFish(name) ? 'fish reserves this name' : null),
  '.env': assignable,
  json: any,
  powershell: any,
  docker: any,
  compose: assignable,
  systemd: assignable,
  'github-actions': (name: string) => (isReservedByGithub(name) ? 'the runner reserves this name' : null),
} as const satisfies Record<string, (name: string) => string | null>

export type FormatName = keyof typeof NAME_RULES

export const FORMAT_NAMES: readonly FormatName[] = Object.keys(NAME_RULES).filter(isFormatName)

export function isFormatName(text: string): text is FormatName {
  return Object.hasOwn(NAME_RULES, text)
}
