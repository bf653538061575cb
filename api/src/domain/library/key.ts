import type { Changers, CreateKey, Key as KeySchema, UpdateKey } from '@keyferry/contract'
import { MASK } from '@keyferry/contract'
import { Plaintext } from '@keyferry/crypto/plaintext'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import { chunksOf, type Listing, type Page, type Slice } from '../base/listing.ts'
import { firstStamp, type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller, NamedCaller } from '../people/membership.ts'
import { groupsOf } from './bundle-entry.ts'
import { type Deadlines, type DueBy, type Lifetime, normalLifetime, rotationTime } from './key-lifetime.ts'
import { maskOverSecret } from './mask.ts'
import { type TemplateParts, type TemplateUses, templateUsesOf } from './template.ts'
import { mayChange, mayShow, requireRight, type ValueRights } from './value-rights.ts'

/*
 * A key is one environment variable of a tenant's library: one name, one value, wherever it is attached. The name is
 * unique within the tenant and never changes. Every member reads and creates keys; owners change any key, members only
 * those that value-rights.ts allows; owners delete. Each new value is the key's next version (key-version.ts). No
 * answer shows a secret value, except on servers set to reveal. Writing the mask over a secret is refused, because it
 * would destroy the value.
 */

type Rights = Pick<z.output<typeof KeySchema>, 'may_change' | 'may_show'>

type DerivedField = 'value' | 'is_template' | 'template_parts' | 'due'

/** A library entry. `value` is null where it was not read; of a template it is the text. `version` counts the values
 * that the key has had, from 1. `value_changed_elsewhere_at`: of a value that moved here, when it last changed on the
 * other server, as the moved file says. No proof. */
export type Key = Omit<z.output<typeof KeySchema>, DerivedField | keyof Rights> &
  Deadlines &
  Pick<ValueRights, 'value_proposed_by'> & { value: Plaintext | null; templateParts: TemplateParts }

/** A key as one person sees it. */
export type SeenKey = Key & Rights & { bundles?: BundleReference[] }

/** `isLong`: the value may be shown, but is too long to be read with a list. */
type ListedKey = Key & { isLong: boolean }

/** A user; `name` is null for one who is gone. */
export type KeyEditor = { kind: 'user'; id: string; name: string | null }

/** How a value came to be: written by a person, imported, moved from another server, restored from an older version,
 * converted from a legacy item. */
export type ValueHow = 'set' | 'import' | 'move' | 'restore' | 'convert'

type NewKey = Pick<
  Key,
  'id' | 'name' | 'is_secret' | 'description' | 'created_at' | 'updated_at' | 'created_by' | 'updated_by'
> & { value: Plaintext; templateUses?: TemplateUses } & Partial<Lifetime>

export type KeyDraft = z.output<typeof CreateKey>

type KeyChange = Pick<KeyUpdate['change'], 'description' | 'is_secret' | keyof Lifetime> & {
  value?: Plaintext | undefined
  isTemplate?: boolean | undefined
}

/** A bundle that uses a key; `as`: the name under which it delivers the key. */
type BundleReference = { id: string; name: string; as: string }

/** `due`: only keys whose value should be replaced. `isUsed`: only keys that are in a bundle, or in none. */
export type KeyFilter = {
  query?: string | undefined
  due?: DueBy | undefined
  isUsed?: boolean | undefined
}

/** `expectedVersion`, `expected`: change nothing where the value has another version, or a field is different.
 * `editor`: who must be allowed to change the value that the key has then; absent where that is certain. */
export type StampedChange = KeyChange & {
  expectedVersion?: number | undefined
  expected?: z.output<typeof UpdateKey>['expected']
  editor?: Caller
  stamp: Stamp
}

export interface KeyStore {
  /** @throws DomainError conflict: the tenant has a key of this name */
  insert(tenantId: string, key: NewKey, stamp: Stamp): Promise<void>
  find(tenantId: string, keyId: string, values: 'public' | 'all'): Promise<Key | null>
  /** Who may change each key, by its id. */
  changersOf(tenantId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, Changers>>
  /** By name, byte by byte, without long values. */
  list(tenantId: string, filter: KeyFilter, slice: Slice): Promise<ListedKey[]>
  /** Values of keys that are not secret, by id. */
  longValues(tenantId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, Plaintext>>
  count(tenantId: string, filter: KeyFilter): Promise<number>
  bundlesUsing(tenantId: string, keyId: string): Promise<BundleReference[]>
  /** The same of several keys, by key id. */
  allBundlesUsing(
    tenantId: string,
    keyIds: readonly string[],
  ): Promise<ReadonlyMap<string, BundleReference[]>>
  /** Change a key, all of it or nothing. A value that differs from the current one becomes the next version, and so
   * does the same text where it becomes a template or stops being one; a change that changes nothing leaves no trace.
   * @throws DomainError not_found · version_conflict · changed · invalid: the value is no template · forbidden: see
   *   `editor` */
  update(tenantId: string, keyId: string, change: StampedChange): Promise<void>
  /** Removes it from every bundle too and closes the gaps in their order. */
  delete(tenantId: string, keyId: string, stamp: Stamp): Promise<boolean>
}

/** Whether the caller may create keys that no bundle delivers. A limited member would not see them. */
export const mayCreateKeys = ({ reach }: Pick<NamedCaller, 'reach'>) => reach === null

/** @throws DomainError conflict: the tenant has a key of this name · invalid: the value is no template · forbidden: a
 *   limited member, who creates keys in bundles */
export async function createKey(
  keys: KeyStore,
  caller: NamedCaller,
  { draft: { is_template, value: text, ...draft }, clock }: { draft: KeyDraft; clock: ClockAndIds },
): Promise<SeenKey> {
  if (!mayCreateKeys(caller))
    throw new DomainError('forbidden', 'You see only some bundles: add the variable to one of them')
  const stamp = stampOf(caller, clock)
  const value = Plaintext.of(text)
  const templateUses = is_template ? templateUsesOf(value) : null
  const lifetime = { ...draft, ...normalLifetime(draft) }
  const key = { ...lifetime, id: clock.newId(), ...firstStamp(stamp) }
  await keys.insert(caller.tenantId, { ...key, value, templateUses }, stamp)
  const { userId: id, username: name } = caller
  const set = { value_set_at: stamp.at, value_changed_elsewhere_at: null }
  return seenBy(keys, caller, {
    ...key,
    ...set,
    value_set_by: { kind: 'user', id, name },
    value_proposed_by: null,
    updated_by_name: name,
    rotate_at: rotationTime(set, key.rotate_after_days),
    used_in_bundles: 0,
    version: 1,
    value: key.is_secret ? null : value,
    templateParts: templateUses && [...new Set(templateUses)],
  })
}

/** @throws DomainError not_found, for another tenant's key too */
export function findKey(keys: KeyStore, caller: Caller, keyId: string): Promise<SeenKey> {
  return readKey(keys, caller, { keyId, values: 'public' })
}

/** @param values `all`: with a secret's value too, for servers that are set to reveal
 * @throws DomainError not_found */
export async function readKey(
  keys: KeyStore,
  caller: Caller,
  { keyId, values }: { keyId: string; values: 'public' | 'all' },
): Promise<SeenKey> {
  const key = await keys.find(caller.tenantId, keyId, values)
  if (!key) throw keyNotFound()
  return seenBy(keys, caller, key)
}

async function seenBy(keys: KeyStore, caller: Caller, key: Key): Promise<SeenKey> {
  const [seen] = await allSeenBy(keys, caller, [key])
  return seen ?? { ...key, may_change: false, may_show: false }
}

async function allSeenBy(keys: KeyStore, caller: Caller, found: readonly Key[]): Promise<SeenKey[]> {
  const rights = await rightsOf(keys, caller, found)
  return found.map((key, index) => {
    const right = rights[index] ?? NO_RIGHTS
    return { ...key, may_change: mayChange(caller, right), may_show: mayShow(caller, right) }
  })
}

const NO_RIGHTS: ValueRights = { value_set_by: '', value_proposed_by: null, changers: 'owner' }

// Of an owner's rights nothing needs to be read.
async function rightsOf(keys: KeyStore, caller: Caller, found: readonly Key[]): Promise<ValueRights[]> {
  const ids = found.map(({ id }) => id)
  const changers = caller.role === 'owner' ? null : await keys.changersOf(caller.tenantId, ids)
  return found.map(({ id, value_set_by, value_proposed_by }) => ({
    value_set_by: value_set_by.id,
    value_proposed_by,
    changers: changers?.get(id) ?? 'owner',
  }))
}

/** `withBundles`: each key with the bundles that use it. */
export async function listKeys(
  keys: KeyStore,
  caller: Caller,
  { filter, page, withBundles }: { filter: KeyFilter; page: Page; withBundles: boolean },
): Promise<Listing<SeenKey>> {
  const { tenantId } = caller
  const total = await keys.count(tenantId, filter)
  const listed = chunksOf((slice) => keys.list(tenantId, filter, slice), page)
  const chunks = withLongValues(keys, caller, listed)
  return { total, chunks: withBundles ? withUses(keys, tenantId, chunks) : chunks }
}

async function* withUses(
  keys: KeyStore,
  tenantId: string,
  chunks: AsyncIterable<readonly SeenKey[]>,
): AsyncGenerator<readonly SeenKey[]> {
  for await (const chunk of chunks) {
    const ids = chunk.map(({ id }) => id)
    const bundles = await keys.allBundlesUsing(tenantId, ids)
    yield chunk.map((key) => ({ ...key, bundles: bundles.get(key.id) ?? [] }))
  }
}

// A value that was removed or made secret since the list was read is null.
async function* withLongValues(
  keys: KeyStore,
  caller: Caller,
  chunks: AsyncIterable<readonly ListedKey[]>,
): AsyncGenerator<readonly SeenKey[]> {
  const { tenantId } = caller
  for await (const chunk of chunks) {
    for (const group of groupsOf(chunk)) {
      const long = group.filter(({ isLong }) => isLong).map(({ id }) => id)
      const values = long.length === 0 ? null : await keys.longValues(tenantId, long)
      const whole = group.map(({ isLong, ...key }) =>
        isLong ? { ...key, value: values?.get(key.id) ?? null } : key,
      )
      yield await allSeenBy(keys, caller, whole)
    }
  }
}

type KeyUpdate = { keyId: string; change: z.output<typeof UpdateKey> }

/** Change a key; absent fields stay. A new value applies to every bundle at once.
 * @throws DomainError invalid: the mask over a secret (`details.names`), or no template · not_found · forbidden (see
 *   value-rights.ts) · version_conflict · changed */
export async function updateKey(
  keys: KeyStore,
  caller: Caller,
  {
    keyId,
    change: { expected_version: expectedVersion, is_template: isTemplate, ...change },
    clock,
  }: KeyUpdate & { clock: ClockAndIds },
): Promise<SeenKey> {
  if (change.value === MASK) await refuseMaskOverSecret(keys, caller, keyId)
  const value = change.value === undefined ? undefined : Plaintext.of(change.value)
  const lifetime = normalLifetime(change)
  const stamp = stampOf(caller, clock)
  await keys.update(caller.tenantId, keyId, {
    ...change,
    ...lifetime,
    value,
    isTemplate,
    expectedVersion,
    editor: caller,
    stamp,
  })
  return readBack(findKey(keys, caller, keyId))
}

/** @throws DomainError not_found */
export async function deleteKey(
  keys: KeyStore,
  caller: Caller,
  { keyId, clock }: { keyId: string; clock: ClockAndIds },
): Promise<void> {
  if (!(await keys.delete(caller.tenantId, keyId, stampOf(caller, clock)))) throw keyNotFound()
}

/** Whether the caller may put the key into a bundle.
 * @throws DomainError not_found · forbidden */
export async function requireShowable(keys: KeyStore, caller: Caller, keyId: string): Promise<void> {
  if (caller.role !== 'owner') requireRight((await findKey(keys, caller, keyId)).may_show)
}

export function keyNameTaken(): DomainError {
  return new DomainError('conflict', 'Key with this name already exists')
}

export function keyNotFound(): DomainError {
  return new DomainError('not_found', 'Key not found')
}

async function refuseMaskOverSecret(keys: KeyStore, caller: Caller, keyId: string): Promise<void> {
  const { name, is_secret } = await findKey(keys, caller, keyId)
  if (is_secret) throw maskOverSecret(name)
}
