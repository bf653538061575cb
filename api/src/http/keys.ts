import { requireMayReadKey } from '../domain/approvals/reveal-rules.ts'
import { stricterElsewhere, stricterForPrograms } from '../domain/approvals/value-rules.ts'
import { DomainError } from '../domain/base/errors.ts'
import { wholePage } from '../domain/base/listing.ts'
import { stampOf } from '../domain/base/stamp.ts'
import { olderHolders } from '../domain/deliveries/holder.ts'
import { createKey, deleteKey, listKeys, readKey, type SeenKey, updateKey } from '../domain/library/key.ts'
import { changeKeys, usesOf } from '../domain/library/key-batch.ts'
import { dueBy, dueOf, dueTime } from '../domain/library/key-lifetime.ts'
import {
  formerElsewhere,
  type KeyVersion,
  restoreVersion,
  shownValue,
} from '../domain/library/key-version.ts'
import { maskedText } from '../domain/library/wanted-values.ts'
import type { Caller } from '../domain/people/membership.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { listReply, pageReply } from './list-reply.ts'

export function keyHandlers({ stores, clock, devAllowPlaintext, requestParts }: HandlerParts) {
  const { keys, keyVersions: versions } = stores
  const present = (key: SeenKey) => presentKey(key, clock.now())
  const stricter = ({ tenantId }: Caller, bundleId: string, keyIds: readonly string[]) =>
    stricterForPrograms(requestParts, { tenantId, bundleId }, keyIds)
  return {
    createKey: async ({ caller, body }) => present(await createKey(keys, caller, { draft: body, clock })),
    async listKeys({ caller, query: { limit, offset, ...asked } }) {
      const { query, due, within_days: withinDays, used, uses } = asked
      const filter = {
        query,
        due: due === '1' ? dueBy(clock.now(), withinDays) : undefined,
        isUsed: used && used === '1',
      }
      const listing = { filter, page: { limit, offset }, withBundles: uses === '1' }
      const listed = await listKeys(keys, caller, listing)
      if (withinDays === undefined) return listReply(listed, present)
      return listReply(listed, (key) => ({ ...present(key), due_at: dueTime(key) }))
    },
    async getKey({ caller, params: { key_id }, query }) {
      const isRevealed = query.reveal === '1'
      if (isRevealed) {
        requireRevealing(devAllowPlaintext)
        await requireMayReadKey(requestParts, caller, key_id)
      }
      const [key, bundles] = await Promise.all([
        readKey(keys, caller, { keyId: key_id, values: isRevealed ? 'all' : 'public' }),
        keys.bundlesUsing(caller.tenantId, key_id),
      ])
      return { ...present(key), bundles }
    },
    async updateKey({ caller, params, query, body: change }) {
      const key = await updateKey(keys, caller, { keyId: params.key_id, change, clock })
      return presentSaved({ stores, clock }, caller, { key, ...query })
    },
    deleteKey: ({ caller, params }) => deleteKey(keys, caller, { keyId: params.key_id, clock }),
    async changeKeys({ caller, body: { key_ids: keyIds, ...body } }) {
      const change =
        'bundle_id' in body ? { action: body.action, bundleId: body.bundle_id } : { action: body.action }
      const changed = await changeKeys({ ...stores, clock }, caller, { keyIds, change })
      return {
        ...changed,
        stricter: body.action === 'attach' ? await stricter(caller, body.bundle_id, keyIds) : [],
      }
    },
    async findKeyUses({ caller, body: { key_ids, bundle_id } }) {
      const bundles = await usesOf(stores, caller, key_ids)
      if (bundle_id === undefined) return { bundles, stricter: [], weaker: [] }
      const place = { tenantId: caller.tenantId, bundleId: bundle_id }
      return {
        bundles,
        stricter: await stricter(caller, bundle_id, key_ids),
        weaker: await stricterElsewhere(requestParts, place, key_ids),
      }
    },
    listKeyVersions: async ({ caller, params, query: page }) =>
      pageReply(await versions.list(caller.tenantId, params.key_id, wholePage(page)), presentVersion),
    async restoreKeyVersion({ caller, params, query, body: { version, expected_version: expectedVersion } }) {
      const restoring = { keyId: params.key_id, version, expectedVersion }
      const key = await restoreVersion({ keys, versions, clock }, caller, restoring)
      return presentSaved({ stores, clock }, caller, { key, ...query })
    },
    destroyKeyVersion: ({ caller, params: { key_id: keyId, version } }) =>
      versions.destroy(caller.tenantId, { keyId, version, stamp: stampOf(caller, clock) }),
  } satisfies Partial<Handlers>
}

/** @throws DomainError forbidden: this server does not reveal values */
export function requireRevealing(devAllowPlaintext: boolean): void {
  if (!devAllowPlaintext) throw new DomainError('forbidden', 'Forbidden: reveal is not allowed')
}

export function presentKey({ rotate_at, templateParts, value_proposed_by: _by, ...key }: SeenKey, now: Date) {
  const due = dueOf({ expires_at: key.expires_at, rotate_at }, now)
  const template = { is_template: templateParts !== null, template_parts: [...(templateParts ?? [])] }
  return { ...key, ...template, value: maskedText(key.value), due }
}

/** A key after a change of its value; `facts`: with those who still hold an older one. */
export async function presentSaved(
  { stores, clock }: Pick<HandlerParts, 'stores' | 'clock'>,
  caller: Caller,
  { key, facts }: { key: SeenKey; facts?: '0' | '1' | undefined },
) {
  const saved = presentKey(key, clock.now())
  if (facts !== '1') return saved
  const [older_holders, former] = await Promise.all([
    olderHolders(stores.holders, caller, key.id),
    formerElsewhere(stores, caller, [key.id]),
  ])
  return { ...saved, older_holders, ...former }
}

function presentVersion(version: KeyVersion) {
  return { ...version, value: shownValue(version) }
}
