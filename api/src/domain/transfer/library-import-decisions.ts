import { areSiblings, MASK } from '@keyferry/contract'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { composed } from '../library/template.ts'
import {
  changedSince,
  crosses,
  type Decision,
  type EntryAction,
  type FoundKey,
  type ImportEntry,
  type ImportLibrary,
  invalid,
  isUnseen,
  makesKey,
  type PlannedImport,
  type SharingChoice,
} from './library-import-step.ts'

const ALL: readonly SharingChoice[] = ['own', 'share', 'replace']

/** What an import does with each entry, in their order, before new keys have names.
 * @throws DomainError invalid, with the names in `details.names` */
export function decideAll(library: ImportLibrary, asked: PlannedImport): Decision[] {
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
  if (entry.copied?.isTemplate) return null
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
  const choices: readonly SharingChoice[] = isShared ? ['own', 'replace'] : ['replace']
  if (!isMasked && own.has(name) && isShared) return { ...step, action: 'own', choices }
  if (!isMasked && (isReplacing || own.has(name)))
    return { ...step, action: isShared ? 'replace' : 'update', choices }
  const stored = isMasked || !mayCompare(template) ? null : template.value
  const value = stored && composed(stored, valueAfter)
  const isSame = value instanceof Plaintext && value.reveal() === entry.value
  return { ...step, action: isSame ? 'same' : 'kept', choices: isMasked ? [] : choices }
}

type LibraryMatch = { library: ImportLibrary; used: ReadonlySet<string> }

function decide(entry: ImportEntry, { library, used }: LibraryMatch, asked: PlannedImport): Decision {
  const attached = library.attached.get(entry.name)
  if (attached === undefined) {
    const candidates = library.candidates.get(entry.name) ?? []
    return {
      entry,
      isAttached: false,
      ...decideNew(entry, { library, candidates: candidates.filter(({ id }) => !used.has(id)) }, asked),
    }
  }
  const isShared = attached.elsewhere.length > 0
  const since = changedSince(attached, entry.name, asked.base)
  const action = actionOn(entry, attached, { ...asked, ...since })
  const conflict = action === 'same' || entry.value === MASK ? {} : since
  const choices = isShared ? ALL : conflict.changed ? KEEP_OR_OWN : []
  return {
    entry,
    isAttached: true,
    action,
    key: attached,
    choices: entry.value === MASK ? [] : choices,
    ...conflict,
  }
}

const KEEP_OR_OWN: readonly SharingChoice[] = ['share', 'own']

// A value that the sender did not know stays, unless a person chose to replace it.
function actionOn(
  entry: ImportEntry,
  attached: FoundKey,
  asked: PlannedImport & Pick<Decision, 'changed'>,
): EntryAction {
  const { name } = entry
  const { own, share, replace } = asked.choices
  const isShared = attached.elsewhere.length > 0
  if (entry.value === MASK) return 'kept'
  if (isShared && own.has(name)) return 'own'
  // A member who duplicates a bundle has its secrets attached, and must not guess them this way.
  const mark = entry.is_secret ?? (attached.is_secret || entry.copied?.isSecret === true)
  const isComparable = !isUnseen(entry) && (asked.mayCompare(attached) || !attached.is_secret)
  if (isComparable && isEqual({ ...entry, is_secret: mark }, attached)) return 'same'
  if (!isShared && share.has(name) && !asked.changed) {
    throw invalid('share is not possible, because the bundle has its own key: detach the key first', [name])
  }
  const isDecided = own.has(name) || (isShared && replace !== 'all' && replace.has(name))
  if (share.has(name) || (asked.changed && !isDecided)) return 'kept'
  if (!isShared) return 'update'
  return isReplaced(name, asked) ? 'replace' : 'own'
}

function decideNew(
  entry: ImportEntry,
  { library, candidates }: { library: ImportLibrary; candidates: readonly FoundKey[] },
  asked: PlannedImport,
): Pick<Decision, 'action' | 'key' | 'choices'> {
  const { name } = entry
  const { own, share } = asked.choices
  if (candidates.length === 0) {
    if (share.has(name) && !asked.sharedLater?.has(name))
      throw invalid('there is no key to share: leave these out of share', [name])
    return { action: 'create', key: null, choices: [] }
  }
  const [first = null] = candidates
  if (own.has(name)) return { action: 'own', key: first, choices: ALL }
  if (share.has(name)) return { action: 'share', key: chosen(entry, candidates, asked), choices: ALL }
  const isShared = (key: FoundKey) => isReplaced(name, asked) || isProposed(key, asked.bundleName, library)
  const equal =
    asked.mayShare && candidates.find((key) => isShared(key) && asked.mayCompare(key) && isEqual(entry, key))
  if (equal) return { action: 'share', key: equal, choices: ALL }
  if (!isReplaced(name, asked)) return { action: 'own', key: first, choices: ALL }
  return { action: 'replace', key: chosen(entry, candidates, asked), choices: ALL }
}

// Values of two applications are equal by chance, and a secret that production shares is known outside production.
function isProposed(key: FoundKey, bundleName: string, { isForProduction }: ImportLibrary): boolean {
  const { elsewhere } = key
  if (crosses(key, isForProduction)) return false
  return elsewhere.length === 0 || elsewhere.some((other) => areSiblings(other, bundleName))
}

// An entry without a mark is secret. What a template delivers depends on the bundle.
function isEqual({ value, is_secret = true }: ImportEntry, key: FoundKey): boolean {
  if (key.templateParts !== null) return false
  return is_secret === key.is_secret && key.value?.reveal() === value
}

function isReplaced(name: string, { choices: { own, share, replace } }: PlannedImport): boolean {
  if (replace === 'all') return !own.has(name) && !share.has(name)
  return replace.has(name)
}

// Several keys may be delivered under one name. The key that has the name is meant, or the only one, or the one named.
function chosen({ name }: ImportEntry, candidates: readonly FoundKey[], { choices }: PlannedImport) {
  const wanted = choices.keyNames.get(name) ?? name
  const named = candidates.find((key) => key.name === wanted)
  const [only, ...others] = candidates
  if (named) return named
  if (only && others.length === 0 && wanted === name) return only
  const keys = candidates.map((key) => key.name).join(', ')
  throw invalid(`several keys are delivered under this name: choose one of ${keys} with key_names`, [name])
}
