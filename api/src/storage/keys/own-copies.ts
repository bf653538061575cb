import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { Bounds } from '../../domain/base/bounds.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { firstStamp } from '../../domain/base/stamp.ts'
import { turn } from '../../domain/base/turns.ts'
import { keyNameTaken, keyNotFound } from '../../domain/library/key.ts'
import { marksOfCopy, type OwnCopy, type SplitStore } from '../../domain/library/split.ts'
import { templateUsesOf } from '../../domain/library/template.ts'
import { chunks } from '../base/chunks.ts'
import { isTaken, refusing } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { noteCopies } from '../base/recording.ts'
import { flag } from '../base/tables.ts'
import { keysAttached, selectOf, updateOf } from '../base/tenant-rows.ts'
import { lockBundle, stampBundle } from '../bundles/bundle-changes.ts'
import { weakerCopies } from '../bundles/policies.ts'
import { keepHolders } from '../holders/holders.ts'
import { storedUses, type TenantVault, type ValueVault } from '../keys-at-rest/value-vault.ts'
import { newKeyRow, writeNewKeys } from './key-writes.ts'

export function splitter({ write }: Queries, vault: ValueVault, { assurance }: Bounds): SplitStore['split'] {
  return async (tenantId, { bundleId, keyId }, { stamp, ...copy }) => {
    const locked = await vault.toWrite(tenantId)
    return refusing(isTaken, keyNameTaken, () =>
      write(async (transaction) => {
        const tenantVault = await locked(transaction)
        await lockBundle(transaction, tenantId, bundleId)
        const copies = { tenantId, bundleId, copies: new Map([[keyId, copy]]), stamp }
        const made = await insertCopies(transaction, tenantVault, copies)
        const data = made.get(keyId)
        if (!data) throw keyNotFound()
        await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId })
          .set({ key_id: copy.keyId })
          .execute()
        await keepHolders(transaction, { tenantId, bundleId, copies: new Map([[keyId, copy.keyId]]) })
        const weaker = copy.value
          ? {}
          : await weakerCopies(transaction, { tenantId, bundleId, assurance }, [keyId])
        const event = { bundleId, action: 'bundle.split', data: { ...data, ...weaker } } as const
        await stampBundle(transaction, event, stamp)
      }),
    )
  }
}

type KeyCopies = {
  tenantId: string
  bundleId: string
  /** By the id of the copied key. */
  copies: ReadonlyMap<string, OwnCopy>
  stamp: Stamp
}

type CopyName = { id: string; name: string }

/** Insert copies of keys that a bundle delivers, and record the new keys, in a transaction that has locked the bundle.
 * Each gets the first of its names that is free.
 * @returns what was copied, by the id of the copied key; keys that the bundle does not deliver are left out
 * @throws DomainError conflict: none of the names of a key is free */
export async function insertCopies(
  transaction: Recorded,
  vault: TenantVault,
  { tenantId, bundleId, copies, stamp }: KeyCopies,
): Promise<ReadonlyMap<string, { key: CopyName; replaced: CopyName }>> {
  const made = new Map<string, { key: CopyName; replaced: CopyName }>()
  for (const keyIds of chunks([...copies.keys()])) {
    const found = await attachedKeys(transaction, tenantId, { bundleId, keyIds })
    const sources = new Map(found.map((row) => [row.id, row]))
    const copied = keyIds.flatMap((keyId) => copiedOf(sources.get(keyId), copies.get(keyId)))
    const names = await freeNames(transaction, tenantId, copied)
    const rows = copied.map((each, at) => rowOf(vault, each, { tenantId, name: names[at] ?? '', stamp }))
    await writeNewKeys(transaction, rows, stamp)
    noteCopies(copied.flatMap(({ source, copy }) => (copy.value ? [] : [[copy.keyId, source.id] as const])))
    for (const [at, row] of rows.entries()) {
      const { source } = copied[at] ?? {}
      if (source) made.set(source.id, { key: named(row), replaced: named(source) })
    }
    await turn() // Many copies let other calls run.
  }
  return made
}

type CopySource = Awaited<ReturnType<typeof attachedKeys>>[number]

type Copied = { source: CopySource; copy: OwnCopy; names: Iterator<string> }

function copiedOf(source: CopySource | undefined, copy: OwnCopy | undefined): Copied[] {
  if (!source || !copy) return []
  return [{ source, copy, names: copy.namesFor(source.delivered_name)[Symbol.iterator]() }]
}

const named = ({ id, name }: CopyName): CopyName => ({ id, name })

function attachedKeys(
  transaction: Query,
  tenantId: string,
  { bundleId, keyIds }: { bundleId: string; keyIds: readonly string[] },
) {
  return keysAttached(transaction, tenantId)
    .select(['keys.id', 'keys.name', 'keys.value', 'keys.value_version', 'keys.is_secret'])
    .select(['keys.description', 'keys.template_parts', 'attachments.delivered_name'])
    .where('attachments.bundle_id', '=', bundleId)
    .where('attachments.key_id', 'in', keyIds)
    .execute()
}

/** The first free name of each.
 * @throws DomainError conflict: one has none */
async function freeNames(transaction: Query, tenantId: string, wanted: readonly Copied[]) {
  const given = new Map<number, string>()
  const used = new Set<string>()
  while (given.size < wanted.length) {
    const offered = wanted.flatMap(({ names }, at) => (given.has(at) ? [] : [{ at, next: names.next() }]))
    if (offered.some(({ next }) => next.done === true)) throw keyNameTaken()
    const values = offered.map(({ next }) => next.value)
    for (const name of await takenAmong(transaction, tenantId, values)) used.add(name)
    for (const { at, next } of offered) {
      if (used.has(next.value)) continue
      used.add(next.value)
      given.set(at, next.value)
    }
  }
  return wanted.map((_, at) => given.get(at) ?? '')
}

async function takenAmong(transaction: Query, tenantId: string, names: readonly string[]) {
  const rows = await selectOf(transaction, 'keys', tenantId)
    .select('name')
    .where('name', 'in', names)
    .execute()
  return rows.map(({ name }) => name)
}

function readable(value: Plaintext | null): Plaintext {
  if (value === null) throw new Error('the value of a copied key was not read')
  return value
}

type Placed = { tenantId: string; name: string; stamp: Stamp }

function rowOf({ open, encrypt }: TenantVault, { source, copy }: Copied, { tenantId, name, stamp }: Placed) {
  const value = copy.value ?? readable(open(source))
  const { isTemplate, is_secret } = marksOfCopy(
    { is_secret: source.is_secret === 1, isTemplate: source.template_parts !== null },
    copy,
  )
  return newKeyRow(
    encrypt(value, {
      id: copy.keyId,
      tenant_id: tenantId,
      name,
      is_secret: flag(is_secret),
      template_parts: isTemplate ? storedUses(templateUsesOf(value)) : null,
      description: copy.description ?? source.description,
      ...copy.lifetime,
      value_version: source.value_version + (copy.value === undefined ? 0 : 1),
      ...firstStamp(stamp),
    }),
  )
}
