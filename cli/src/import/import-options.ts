import type { EnvText } from '@keyferry/contract/env'
import type { Dialect } from '@keyferry/contract/env/dialects'
import type { Version } from '../delivery/values-request.ts'
import type { Choices } from '../deposit/deposit-body.ts'
import type { DepositOptions } from '../deposit/store-with-approval.ts'

/** Variables to store, and names that the bundle no longer delivers. */
export type ImportedText = Pick<EnvText, 'entries' | 'notes'> & {
  readonly detach: readonly string[]
  /** What goes to other bundles. */
  readonly also?: readonly { readonly bundleName: string; readonly entries: EnvText['entries'] }[]
  /** The versions of the values that the person saw before; absent: they saw none. */
  readonly seen?: readonly Version[]
}

/** What is said of a file, of values of one command, and of a name that a bundle no longer delivers. */
export const WORDS = {
  import: { into: 'Import into', question: 'Import', done: 'imported' },
  store: { into: 'Store in', question: 'Store', done: 'stored' },
  remove: { into: 'Remove from', question: 'Remove', done: 'removed' },
} as const
export type ImportVerb = keyof typeof WORDS

/** Names said to be secret or public; a key of the bundle named in neither keeps its mark, and a new one is secret. */
export type SecretFlags = { readonly secret: readonly string[]; readonly public: readonly string[] }

/** `path`: null for standard input. */
export type ImportedFile = { readonly path: string | null; readonly bundleName: string }

export type ImportOptions = Pick<ImportedFile, 'path'> & {
  /** Files for other bundles. */
  readonly others?: readonly ImportedFile[]
  readonly dialect: Dialect
} & ImportTextOptions

/** How to import variables that have been read. */
export type ImportTextOptions = Omit<DepositOptions, 'content'> & {
  /** Whether the next command needs --server to find this server. */
  readonly isServerNamed: boolean
  readonly bundleName: string
  readonly how: ImportVerb
  readonly flags: SecretFlags
  readonly choices: Choices
  readonly isDryRun: boolean
  readonly mayUpdate: boolean
}

/** What a person probably runs next. */
export function nextCommands(
  { isServerNamed, server }: Pick<ImportTextOptions, 'isServerNamed' | 'server'>,
  bundles: readonly string[],
): string {
  const run = (bundle: string) =>
    `keyferry run ${bundle}${isServerNamed ? ` --server ${server}` : ''} -- PROGRAM`
  return bundles.map(run).join('\n            ')
}
