import type { ImportAction } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { DomainError } from '../base/errors.ts'
import { crossesProduction } from '../library/attachment.ts'
import { LONG_VALUE_BYTES } from '../library/bundle-entry.ts'
import type { TemplateParts } from '../library/template.ts'
import type { BundleRights, CopyRules, ValueRights } from '../library/value-rights.ts'

/** `from`: the bundle whose value it is; `value` is empty until that is read (library-import-sources.ts). `copied`:
 * what a copy of a key takes over besides its value, and the id of that key. `whose`: if the caller
 * may not show the value, who set and typed it; it gives none of them a right. */
export type ImportEntry = {
  name: string
  value: string
  is_secret?: boolean | undefined
  from?: string | undefined
  copied?: CopiedValue
}

type CopiedValue = {
  id: string
  version: number
  isTemplate: boolean
  isSecret: boolean
  description: string
  whose?: { setBy: string; proposedBy: string }
}

/** How the caller wants entries treated, by their names. */
export type ImportChoices = {
  own: ReadonlySet<string>
  share: ReadonlySet<string>
  replace: 'all' | ReadonlySet<string>
  /** Library names by entry name. */
  keyNames: ReadonlyMap<string, string>
}

type AskedChoices = {
  own: readonly string[]
  share: readonly string[]
  replace: 'all' | readonly string[]
  key_names: Readonly<Record<string, string>>
}

/** Choices in the form in which callers give them. */
export function choicesOf({ own, share, replace, key_names }: AskedChoices): ImportChoices {
  return {
    own: new Set(own),
    share: new Set(share),
    replace: replace === 'all' ? replace : new Set(replace),
    keyNames: new Map(Object.entries(key_names)),
  }
}

/** A library key that an import may use or change. */
export type FoundKey = {
  id: string
  name: string
  /** Null where `needsValue` is false: it differs from the entry. */
  value: Plaintext | null
  value_version: number
  /** ISO timestamp: when the value was set, by a person of this name. */
  value_set_at: string
  setByName: string | null
  is_secret: boolean
  templateParts: TemplateParts
  description: string
  /** Names of the other bundles that use it, sorted. */
  elsewhere: readonly string[]
  /** How many of them are for production. */
  inProduction: number
} & ValueRights

/** The part of a library that matters to an import. */
export type ImportLibrary = {
  bundle: ({ id: string } & BundleRights) | null
  /** Also of a bundle that the import creates. */
  isForProduction: boolean
  /** What the bundle delivers of the entries and of the names to remove, by delivered name. */
  attached: ReadonlyMap<string, FoundKey>
  /** By delivered name, the values that templates in `attached` are built from. */
  parts: ReadonlyMap<string, Plaintext>
  /** By delivered name, what each template of the bundle is built from. Read only for an import that removes names. */
  templates: ReadonlyMap<string, readonly string[]>
  /** Keys that have a name, or are delivered under it elsewhere, and are not attached to the bundle. Keys that have the
   * name come first. */
  candidates: ReadonlyMap<string, readonly FoundKey[]>
  /** By name of an entry, the key that its bundle `from` delivers, with its value. Without keys that the receiving
   * bundle has under another name. */
  sources: ReadonlyMap<string, FoundKey>
  /** By name of an entry, for the secrets in `sources`. */
  copyRules: ReadonlyMap<string, CopyRules>
  /** Names of the bundle's legacy items. */
  legacyNames: ReadonlySet<string>
  isTaken: (libraryName: string) => boolean
}

/** Sizes of values in bytes. */
export type WantedSizes = ReadonlySet<number> | 'any'

/** Whether an import needs a key's value, to compare it with entries of these sizes or to show it. A library may have
 * more long values than fit into memory. */
export function needsValue(
  { bytes, is_secret, isTemplate }: { bytes: number; is_secret: boolean; isTemplate: boolean },
  sizes: WantedSizes,
): boolean {
  if (isTemplate || sizes === 'any' || sizes.has(bytes)) return true
  return !is_secret && bytes <= LONG_VALUE_BYTES
}

/** What may happen to an entry. */
export type EntryAction = Exclude<ImportAction, 'detach'>

export type ImportStep = {
  entry: ImportEntry
  action: EntryAction
  /** Whether the bundle delivers this name already. */
  isAttached: boolean
  /** The key that is shared, kept or changed, or whose value the bundle does not take over; null when there is none. */
  key: FoundKey | null
  /** The library name of the key that the bundle uses after the step. */
  keyName: string
  choices: readonly SharingChoice[]
  /** Who set the value that the entry would replace after the sender knew it. */
  changed?: ValueStamp
}

type ValueStamp = { by: string | null; at: string }

/** What the sender of an import knew. `seen`: the versions of the values that they were given, by name; null: none.
 * `since`: when they sent it, an ISO timestamp; null: the caller is the sender and looks at the plan. */
export type ImportBase = { seen: ReadonlyMap<string, number> | null; since: string | null }

export function baseOf(
  seen: readonly { name: string; version: number }[] | undefined,
  since: string | null,
): ImportBase {
  return { seen: seen ? new Map(seen.map(({ name, version }) => [name, version])) : null, since }
}

/** Whether a value is not the one that the sender knew. */
export function changedSince(
  { value_version, value_set_at: at, setByName: by }: FoundKey,
  name: string,
  { seen, since }: ImportBase = { seen: null, since: null },
): { changed?: ValueStamp } {
  const isChanged = seen === null ? since !== null && at > since : seen.get(name) !== value_version
  return isChanged ? { changed: { by, at } } : {}
}

export type SharingChoice = 'own' | 'share' | 'replace'
/** A step without the library name of its key. */
export type Decision = Omit<ImportStep, 'keyName'>

export type PlannedImport = {
  bundleName: string
  entries: readonly ImportEntry[]
  /** Names that the bundle no longer delivers. */
  detach: readonly string[]
  choices: ImportChoices
  base?: ImportBase | undefined
  /** New keys get names that begin with the bundle's, whatever names the library has. */
  isOwnNamed: boolean
  /** Whether equal values are shared although nobody asked for it. Only an owner may share. */
  mayShare: boolean
  /** Names of the imports that follow this one: they can share what it makes. */
  sharedLater?: ReadonlySet<string>
  /** Whether the caller may learn if a key has a certain value, or a template delivers it. */
  mayCompare: (key: FoundKey) => boolean
}

/** Whether an entry copies a value that the caller may not show. */
export function isUnseen({ copied }: ImportEntry): boolean {
  return copied?.whose !== undefined
}

/** Whether a step adds a key to the library. */
export function makesKey({ action }: { action: ImportAction }): boolean {
  return action === 'create' || action === 'own'
}

/** Whether the key of a step is secret after the import. A key that the bundle uses as it is keeps its mark. Of a key
 * that gets a value, the mark in the entry counts. Without it, a variable of the bundle keeps its mark, a copy has the
 * mark of what it copies, and any other key is secret: no new value takes over the mark of another bundle. A copy of a
 * secret is secret. A value in the place of a template is secret, because the template may have had secret parts. */
export function markAfter({ action, entry, key, isAttached }: Omit<Decision, 'choices'>): boolean {
  if (action === 'share' || action === 'kept' || action === 'same') return key?.is_secret ?? true
  const isKnown = isAttached ? key?.templateParts !== null || key.is_secret : entry.copied === undefined
  return entry.is_secret ?? (isKnown || entry.copied?.isSecret === true)
}

/** Whether production and another environment deliver the same secret after a step. */
export function crossesAfter(step: Decision, { isForProduction }: ImportLibrary): boolean {
  const key = makesKey(step) ? null : step.key
  return key !== null && crosses({ ...key, is_secret: markAfter(step) }, isForProduction)
}

/** Whether production and another environment would deliver the same secret if the bundle uses a key. */
export function crosses(key: FoundKey, isForProduction: boolean): boolean {
  return crossesProduction({ ...key, others: key.elsewhere.length }, isForProduction)
}

/** Whether a step gives the bundle its own key in the place of one that it shares. */
export function splits({ action, isAttached }: Pick<ImportStep, 'action' | 'isAttached'>): boolean {
  return action === 'own' && isAttached
}

/** What is wrong with the entries of these names. */
export function invalid(message: string, names: readonly string[]): DomainError {
  return refusal('invalid', message, names)
}

export function refusal(
  code: 'invalid' | 'conflict',
  message: string,
  names: readonly string[],
): DomainError {
  return new DomainError(code, `${message}: ${names.join(', ')}`, { details: { names } })
}
