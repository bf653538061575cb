import { stricterForPrograms } from '../domain/approvals/value-rules.ts'
import { stampOf } from '../domain/base/stamp.ts'
import {
  attachKey,
  changeAttachment,
  detachKey,
  listAttachedKeys,
  listSharedKeys,
  reorderKey,
} from '../domain/library/attachment.ts'
import { bundleNotFound, listBundles } from '../domain/library/bundle.ts'
import { createBundle, updateBundle } from '../domain/library/bundle-change.ts'
import {
  type AttachedKey,
  type BundleEntry,
  bundleEntries,
  withLongValues,
} from '../domain/library/bundle-entry.ts'
import { allMarked } from '../domain/library/bundle-marks.ts'
import { allSeenBy, seeBundle } from '../domain/library/bundle-rights.ts'
import { compareBundles, compareWithFacts } from '../domain/library/comparison.ts'
import type { Composable } from '../domain/library/composed-entry.ts'
import { duplicateBundle } from '../domain/library/duplicate.ts'
import { splitKey } from '../domain/library/split.ts'
import { maskedText } from '../domain/library/wanted-values.ts'
import type { Caller } from '../domain/people/membership.ts'
import { isProgram, type Reader, shownTo } from '../domain/people/program.ts'
import { type Handlers, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentSaved } from './keys.ts'
import { arrayReply, jsonArray, listReply, readEntries } from './list-reply.ts'

export function bundleHandlers({ stores, clock, requestParts }: HandlerParts) {
  const parts = { ...stores, clock }
  const stricter = ({ tenantId }: Caller, bundleId: string, keyId: string) =>
    stricterForPrograms(requestParts, { tenantId, bundleId }, [keyId])
  return {
    createBundle: ({ caller, body: draft }) => createBundle(stores.bundles, caller, { draft, clock }),
    async listBundles({ caller, query: { limit, offset, facts, ...filter } }) {
      const granted = isProgram(caller) ? { ...filter, ids: await caller.bundleIds() } : filter
      const page = { limit, offset }
      const listing = await listBundles(stores.bundles, caller, { filter: granted, page })
      const chunks = allSeenBy(stores.bundles, personOf(caller), listing.chunks)
      if (facts !== '1' || isProgram(caller)) return listReply({ ...listing, chunks }, (bundle) => bundle)
      const marked = allMarked(stores.bundles, caller, { chunks, now: clock.now() })
      return listReply({ ...listing, chunks: marked }, (bundle) => bundle)
    },
    async getBundle({ caller, params }) {
      const place = { tenantId: caller.tenantId, bundleId: params.bundle_id }
      await requireReadable(caller, place.bundleId)
      const [bundle, entries] = await Promise.all([
        seeBundle(stores.bundles, place, personOf(caller)),
        bundleEntries(stores, place, shownTo(caller)),
      ])
      const items = await readEntries(
        withLongValues(stores, place, { entries, values: 'public' }),
        presentEntry,
      )
      if ('entries' in items) return { ...bundle, items: items.entries }
      const open = `${JSON.stringify(bundle).slice(0, -1)},"items":[`
      return new Reply({ stream: jsonArray(items.chunks, { open, close: ']}' }) })
    },
    async compareBundles({ caller, query }) {
      const compared =
        query.facts === '1'
          ? await compareWithFacts(parts, caller, query.bundle_id)
          : await compareBundles(stores.comparison, caller, query.bundle_id)
      const rows = await readEntries(compared, (row) => row)
      if ('entries' in rows) return { rows: rows.entries }
      return new Reply({ stream: jsonArray(rows.chunks, { open: '{"rows":[', close: ']}' }) })
    },
    updateBundle: ({ caller, params, body: change }) =>
      updateBundle(stores.bundles, caller, { bundleId: params.bundle_id, change, clock }),
    duplicateBundle: ({ caller, params, body: draft }) =>
      duplicateBundle(stores.bundles, caller, { bundleId: params.bundle_id, draft, clock }),
    async deleteBundle({ caller, params }) {
      await stores.bundles.delete(params.bundle_id, stampOf(caller, clock))
      return { ok: true, message: 'bundle deleted' }
    },
    async listBundleKeys({ caller, params }) {
      await requireReadable(caller, params.bundle_id)
      const shown = { bundleId: params.bundle_id, values: shownTo(caller) }
      return arrayReply(await listAttachedKeys(stores, caller, shown), presentAttached)
    },
    async listSharedKeys({ caller, params }) {
      const shared = await listSharedKeys(stores, caller, params.bundle_id)
      return shared.map(({ keyId, firstOther, others, crosses, mayDetach }) => {
        return {
          key_id: keyId,
          shared_with: firstOther,
          shared_total: others,
          may_detach: mayDetach,
          ...(crosses ? { crosses } : {}),
        }
      })
    },
    async attachKey({ caller, params, body }) {
      await attachKey(parts, caller, { ...placeOf(params), ...body, order: body.order })
      const message = 'key attached'
      return { ok: true, message, stricter: await stricter(caller, params.bundle_id, params.key_id) }
    },
    async changeAttachment({ caller, params, body }) {
      const { key_id: newKeyId, ...fields } = body
      await changeAttachment(parts, caller, { ...placeOf(params), ...fields, newKeyId })
      const given = newKeyId === undefined ? [] : await stricter(caller, params.bundle_id, newKeyId)
      return { ok: true as const, stricter: given }
    },
    async splitKey({ caller, params, query, body }) {
      const key = await splitKey(parts, caller, { ...placeOf(params), draft: body })
      return presentSaved({ stores, clock }, caller, { key, ...query })
    },
    detachKey: ({ caller, params }) => detachKey(parts, caller, placeOf(params)),
    reorderKey: ({ caller, params, body }) => reorderKey(parts, caller, { ...placeOf(params), ...body }),
  } satisfies Partial<Handlers>
}

const personOf = (reader: Reader) => (isProgram(reader) ? null : reader)

/** @throws DomainError not_found: a program may not read this bundle */
async function requireReadable(reader: Reader, bundleId: string): Promise<void> {
  if (isProgram(reader) && !(await reader.bundleIds()).includes(bundleId)) throw bundleNotFound()
}

function presentEntry(entry: BundleEntry) {
  const { id, name, key_name, value, is_secret, description, order, required } = entry
  const named = { id, name, key: name, key_name, value: maskedText(value) }
  return { ...named, is_secret, description, order, required, ...presentComposition(entry) }
}

function placeOf(params: { bundle_id: string; key_id: string }) {
  return { bundleId: params.bundle_id, keyId: params.key_id }
}

function presentAttached(key: AttachedKey) {
  const { id, name, key_name, value, is_secret, order, required } = key
  const shown = { id, name, key_name, value: maskedText(value), is_secret, order, required }
  return { ...shown, ...presentComposition(key) }
}

/** What an answer tells of an entry that its bundle composes; nothing for any other entry. */
function presentComposition({ templateParts, composition }: Composable) {
  if (templateParts === null) return {}
  return { template_parts: [...templateParts], missing_parts: [...(composition?.missing ?? [])] }
}
