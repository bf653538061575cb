import {
  createBundle,
  deleteBundle,
  findBundle,
  listBundles,
  updateBundle,
} from '../domain/library/bundle.ts'
import { type BundleEntry, bundleEntries, withLongValues } from '../domain/library/bundle-entry.ts'
import { compareBundles } from '../domain/library/comparison.ts'
import { duplicateBundle } from '../domain/library/duplicate.ts'
import { maskedText } from '../domain/library/wanted-values.ts'
import { isMachine, requireReadable, shownTo } from '../domain/machines/machine-caller.ts'
import { presentComposition } from './composition.ts'
import { type Handlers, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { jsonArray, listReply, readEntries } from './list-reply.ts'

export function bundleHandlers({ stores, clock }: HandlerParts) {
  return {
    createBundle: ({ caller, body: draft }) => createBundle(stores.bundles, caller, { draft, clock }),
    async listBundles({ caller, query: { limit, offset, ...filter } }) {
      const granted = isMachine(caller) ? { ...filter, grantedTo: caller.machine.id } : filter
      const page = { limit, offset }
      const listing = await listBundles(stores.bundles, caller, { filter: granted, page })
      return listReply(listing, (bundle) => bundle)
    },
    async getBundle({ caller, params }) {
      const place = { tenantId: caller.tenantId, bundleId: params.bundle_id }
      await requireReadable(stores.machineCallers, caller, place.bundleId)
      const [bundle, entries] = await Promise.all([
        findBundle(stores.bundles, caller, place.bundleId),
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
    compareBundles: async ({ caller, query }) => ({
      rows: await compareBundles(stores.comparison, caller, query.bundle_id),
    }),
    updateBundle: ({ caller, params, body: change }) =>
      updateBundle(stores.bundles, caller, { bundleId: params.bundle_id, change, clock }),
    duplicateBundle: ({ caller, params, body: draft }) =>
      duplicateBundle(stores.bundles, caller, { bundleId: params.bundle_id, draft, clock }),
    async deleteBundle({ caller, params }) {
      await deleteBundle(stores.bundles, caller, { bundleId: params.bundle_id, clock })
      return { ok: true, message: 'bundle deleted' }
    },
  } satisfies Partial<Handlers>
}

function presentEntry(entry: BundleEntry) {
  const { id, name, key_name, value, is_secret, description, order, required } = entry
  const named = { id, name, key: name, key_name, value: maskedText(value) }
  return { ...named, is_secret, description, order, required, ...presentComposition(entry) }
}
