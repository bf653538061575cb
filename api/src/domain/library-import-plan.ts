import { type ImportAction, MASK } from '@keyferry/contract'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { DomainError } from './errors.ts'
import { libraryName } from './library-name.ts'
import { composed, type TemplateParts } from './template.ts'

/*
 * What an import does with each variable. Two environments may have different values for one name, so a value that differs
 * from another bundle's becomes a new key, and an equal value is shared. A plan changes a key that another bundle uses only
 * if the caller named it in `replace`. A template stays unless the caller named it: the value of a file is often one that
 * the bundle composes, and would end that. After a plan is applied, planning the same import again gives an empty plan.
 */

export type ImportEntry = { name: string; value: string; is_secret?: boolean | undefined }

/** How the caller wants entries treated, by their names. */
export type ImportChoices = {
  own: ReadonlySet<string>
  share: ReadonlySet<string>
  replace: 'all' | ReadonlySet<string>
  /** Library names by entry name. */
  keyNames: ReadonlyMap<string, string>
}

/** A library key that an import may use or change. */
export type FoundKey = {
  id: string
  name: string
  value: Plaintext
  value_version: number
  is_secret: boolean
  templateParts: TemplateParts
  description: string
  created_by: string
  /** Names of the other bundles that use it, sorted. */
  elsewhere: readonly string[]
}

/** The part of a library that matters to an import. */
export type ImportLibrary = {
  bundle: { id: string; created_by: string } | null
  /** What the bundle delivers of the entries and of the names to remove, by delivered name. */
  attached: ReadonlyMap<string, FoundKey>
  /** By delivered name, the values that templates in `attached` are built from. */
  parts: ReadonlyMap<string, Plaintext>
  /** Keys that have a name, or are delivered under it elsewhere, and are not attached to the bundle. Keys that have the
   * name come first. */
  candidates: ReadonlyMap<string, readonly FoundKey[]>
  /** Names of the bundle's legacy items. */
  legacyNames: ReadonlySet<string>
  isTaken: (libraryName: string) => boolean
}

/** What may happen to an entry. */
type EntryAction = Exclude<ImportAction, 'detach'>

export type ImportStep = {
  entry: ImportEntry
  action: EntryAction
  /** Whether the bundle delivers this name already. */
  isAttached: boolean
  /** The key that is shared, kept or changed, or whose value the bundle does not take over; null when there is none. */
  key: FoundKey | null
  /** The library name of the key that the bundle uses after the step. */
  keyName: string
  choices: readonly Choice[]
}

type Choice = 'own' | 'share' | 'replace'
type Decision = Omit<ImportStep, 'keyName'>

export type PlannedImport = {
  bundleName: string
  entries: readonly ImportEntry[]
  /** Names that the bundle no longer delivers. */
  detach: readonly string[]
  choices: ImportChoices
  /** Whether the caller may learn if a key has a certain value, or a template delivers it. */
  mayCompare: (key: FoundKey) => boolean
}

const ALL: readonly Choice[] = ['own', 'share', 'replace']

/** What an import does with each entry, in their order.
 * @throws DomainError invalid · conflict · name_taken, each with the names in `details.names` */
export function planImport(library: ImportLibrary, asked: PlannedImport): ImportStep[] {
  requireSense(asked)
  requireNoLegacyItems(library, asked)
  requireSomethingToKeep(library, asked)
  return withKeyNames(decideAll(library, asked), library, asked)
}

function decideAll(library: ImportLibrary, asked: PlannedImport): Decision[] {
  const used = new Set<string>()
  const isTemplate = ({ name }: ImportEntry) => library.attached.get(name)?.templateParts
  const decided = new Map<string, Decision>()
  for (const entry of asked.entries) {
    if (isTemplate(entry)) continue
    const decision = decide(entry, { library, used }, asked)
    // A bundle uses a key once, under one name.
    if (decision.key && !makesKey(decision)) used.add(decision.key.id)
    decided.set(entry.name, decision)
  }
  const removed = new Set(asked.detach)
  const valueAfter = (name: string) =>
    removed.has(name) ? null : (deliveredAfter(decided.get(name)) ?? library.parts.get(name) ?? null)
  return asked.entries.flatMap((entry) => {
    const template = isTemplate(entry) ? library.attached.get(entry.name) : undefined
    return template
      ? [decideTemplate(entry, { template, valueAfter }, asked)]
      : (decided.get(entry.name) ?? [])
  })
}

/** The value that the bundle delivers after a step. */
function deliveredAfter(decision: Decision | undefined): Plaintext | null {
  if (decision === undefined) return null
  const { action, entry, key } = decision
  if (makesKey(decision) || action === 'update' || action === 'replace') return Plaintext.of(entry.value)
  return key?.templateParts === null ? key.value : null
}

type AttachedTemplate = { template: FoundKey; valueAfter: (name: string) => Plaintext | null }

function decideTemplate(
  entry: ImportEntry,
  { template, valueAfter }: AttachedTemplate,
  { choices: { own, replace }, mayCompare }: PlannedImport,
): Decision {
  const { name } = entry
  const isShared = template.elsewhere.length > 0
  const isMasked = entry.value === MASK
  const isReplacing = replace !== 'all' && replace.has(name)
  const step = { entry, isAttached: true, key: template }
  const choices: readonly Choice[] = isShared ? ['own', 'replace'] : ['replace']
  if (!isMasked && own.has(name) && isShared) return { ...step, action: 'own', choices }
  if (!isMasked && (isReplacing || own.has(name)))
    return { ...step, action: isShared ? 'replace' : 'update', choices }
  const value = isMasked || !mayCompare(template) ? null : composed(template.value, valueAfter)
  const isSame = value instanceof Plaintext && value.reveal() === entry.value
  return { ...step, action: isSame ? 'same' : 'kept', choices: isMasked ? [] : choices }
}

function requireSense({ entries, choices: { own, share, replace, keyNames } }: PlannedImport): void {
  const names = entries.map(({ name }) => name)
  const known = new Set(names)
  if (known.size < names.length) throw invalid('an entry is given twice', repeated(names))
  const treated = [...own, ...share, ...(replace === 'all' ? [] : replace)]
  if (new Set(treated).size < treated.length) {
    throw invalid('choose only one of own, share and replace', repeated(treated))
  }
  const unknown = [...treated, ...keyNames.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) throw invalid('own, share, replace and key_names must name entries', unknown)
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) < index))]
}

function requireNoLegacyItems({ attached, legacyNames }: ImportLibrary, { entries }: PlannedImport): void {
  const legacy = entries
    .map(({ name }) => name)
    .filter((name) => legacyNames.has(name) && !attached.has(name))
  if (legacy.length === 0) return
  const message = `the bundle has inline items: convert them into keys first: ${legacy.join(', ')}`
  throw new DomainError('conflict', message, { details: { names: legacy } })
}

function requireSomethingToKeep({ attached }: ImportLibrary, { entries }: PlannedImport): void {
  const masked = entries.filter(({ name, value }) => value === MASK && !attached.has(name))
  if (masked.length === 0) return
  const names = masked.map(({ name }) => name)
  throw invalid(
    `${MASK} keeps the stored value, and the bundle has none: write the values, or leave these out`,
    names,
  )
}

type Found = { library: ImportLibrary; used: ReadonlySet<string> }

function decide(entry: ImportEntry, { library, used }: Found, asked: PlannedImport): Decision {
  const attached = library.attached.get(entry.name)
  if (attached === undefined) {
    const candidates = library.candidates.get(entry.name) ?? []
    return {
      entry,
      isAttached: false,
      ...decideNew(
        entry,
        candidates.filter(({ id }) => !used.has(id)),
        asked,
      ),
    }
  }
  const isShared = attached.elsewhere.length > 0
  const action = actionOn(entry, attached, asked)
  const choices = isShared && entry.value !== MASK ? ALL : []
  return { entry, isAttached: true, action, key: attached, choices }
}

function actionOn(entry: ImportEntry, attached: FoundKey, asked: PlannedImport): EntryAction {
  const { name } = entry
  const { own, share } = asked.choices
  const isShared = attached.elsewhere.length > 0
  if (entry.value === MASK) return 'kept'
  if (isShared && own.has(name)) return 'own'
  // A member who duplicates a bundle has its secrets attached, and must not guess them this way.
  if ((asked.mayCompare(attached) || !attached.is_secret) && isEqual(entry, attached)) return 'same'
  if (!isShared && share.has(name)) {
    throw invalid('share is not possible, because the bundle has its own key: detach the key first', [name])
  }
  if (!isShared) return 'update'
  if (share.has(name)) return 'kept'
  return isReplaced(name, asked) ? 'replace' : 'own'
}

function decideNew(
  entry: ImportEntry,
  candidates: readonly FoundKey[],
  asked: PlannedImport,
): Pick<Decision, 'action' | 'key' | 'choices'> {
  const { name } = entry
  const { own, share } = asked.choices
  if (candidates.length === 0) {
    if (share.has(name)) throw invalid('there is no key to share: leave these out of share', [name])
    return { action: 'create', key: null, choices: [] }
  }
  const [first = null] = candidates
  if (own.has(name)) return { action: 'own', key: first, choices: ALL }
  if (share.has(name)) return { action: 'share', key: chosen(entry, candidates, asked), choices: ALL }
  const equal = candidates.find((key) => asked.mayCompare(key) && isEqual(entry, key))
  if (equal) return { action: 'share', key: equal, choices: ALL }
  if (!isReplaced(name, asked)) return { action: 'own', key: first, choices: ALL }
  return { action: 'replace', key: chosen(entry, candidates, asked), choices: ALL }
}

// An entry without a mark takes over the key's. What a template delivers depends on the bundle.
function isEqual({ value, is_secret }: ImportEntry, key: FoundKey): boolean {
  if (key.templateParts !== null) return false
  return (is_secret ?? key.is_secret) === key.is_secret && key.value.reveal() === value
}

function isReplaced(name: string, { choices: { own, share, replace } }: PlannedImport): boolean {
  if (replace === 'all') return !own.has(name) && !share.has(name)
  return replace.has(name)
}

// Several keys may be delivered under one name. The key that has the name is meant, or the only one, or the one named.
function chosen(
  { name }: ImportEntry,
  candidates: readonly FoundKey[],
  { choices }: PlannedImport,
): FoundKey {
  const wanted = choices.keyNames.get(name) ?? name
  const named = candidates.find((key) => key.name === wanted)
  const [only, ...others] = candidates
  if (named) return named
  if (only && others.length === 0 && wanted === name) return only
  const keys = candidates.map((key) => key.name).join(', ')
  throw invalid(`several keys are delivered under this name: choose one of ${keys} with key_names`, [name])
}

function withKeyNames(
  decisions: readonly Decision[],
  library: ImportLibrary,
  { bundleName, choices: { keyNames } }: PlannedImport,
): ImportStep[] {
  const reserved = new Set<string>()
  const isTaken = (name: string) => library.isTaken(name) || reserved.has(name)
  const given = new Map(
    decisions.filter(makesKey).map(({ entry: { name }, action }) => [name, nameOf(name, action)]),
  )

  function nameOf(name: string, action: EntryAction): string | null {
    const asked = keyNames.get(name)
    if (asked !== undefined && isTaken(asked)) throw libraryNameTaken(name, asked)
    const wanted = asked ?? (action === 'create' && !isTaken(name) ? name : null)
    if (wanted !== null) reserved.add(wanted)
    return wanted
  }

  return decisions.map((decision) => {
    const { name } = decision.entry
    if (!makesKey(decision)) return { ...decision, keyName: decision.key?.name ?? name }
    const keyName = given.get(name) ?? libraryName({ bundleName, name }, isTaken)
    reserved.add(keyName)
    return { ...decision, keyName }
  })
}

/** Whether a step adds a key to the library. */
export function makesKey({ action }: { action: ImportAction }): boolean {
  return action === 'create' || action === 'own'
}

/** Whether the key of a step is secret after the import. A new key without a mark takes over that of the key beside it; without
 * such a key it is secret. A shared key keeps its mark. A value in the place of a template is secret, because the template
 * may have had secret parts. */
export function markAfter({ action, entry, key }: Pick<ImportStep, 'action' | 'entry' | 'key'>): boolean {
  if (action === 'share' || action === 'kept' || action === 'same') return key?.is_secret ?? true
  const known = key?.templateParts === null ? key.is_secret : true
  return entry.is_secret ?? known
}

/** Whether a step gives the bundle its own key in the place of one that it shares. */
export function splits({ action, isAttached }: Pick<ImportStep, 'action' | 'isAttached'>): boolean {
  return action === 'own' && isAttached
}

function libraryNameTaken(name: string, keyName: string): DomainError {
  const message = `the library has a key ${keyName}: choose another name for ${name} with key_names`
  return new DomainError('name_taken', message, { details: { names: [name] } })
}

function invalid(message: string, names: readonly string[]): DomainError {
  return new DomainError('invalid', `${message}: ${names.join(', ')}`, { details: { names } })
}
