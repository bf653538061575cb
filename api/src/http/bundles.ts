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
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { jsonArray, listReply, readEntries } from './list-reply.ts'

type BundleHandlers = Pick<
  Handlers,
  | 'compareBundles'
  | 'createBundle'
  | 'listBundles'
  | 'getBundle'
  | 'updateBundle'
  | 'duplicateBundle'
  | 'deleteBundle'
>

export function bundleHandlers({ stores, clock }: HandlerParts): BundleHandlers {
  return {
    async createBundle({ caller, body }) {
      return { status: 201, body: await createBundle(stores.bundles, caller, { draft: body, clock }) }
    },
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
      if ('entries' in items) return { status: 200, body: { ...bundle, items: items.entries } }
      const open = `${JSON.stringify(bundle).slice(0, -1)},"items":[`
      return { status: 200, stream: jsonArray(items.chunks, { open, close: ']}' }) }
    },
    async compareBundles({ caller, query }) {
      return { status: 200, body: { rows: await compareBundles(stores.comparison, caller, query.bundle_id) } }
    },
    async updateBundle({ caller, params, body }) {
      const change = { bundleId: params.bundle_id, change: body, clock }
      return { status: 200, body: await updateBundle(stores.bundles, caller, change) }
    },
    async duplicateBundle({ caller, params, body }) {
      const duplicate = { bundleId: params.bundle_id, draft: body, clock }
      return { status: 201, body: await duplicateBundle(stores.bundles, caller, duplicate) }
    },
    async deleteBundle({ caller, params }) {
      await deleteBundle(stores.bundles, caller, { bundleId: params.bundle_id, clock })
      return { status: 200, body: { ok: true, message: 'bundle deleted' } }
    },
  }
}

function presentEntry(entry: BundleEntry) {
  const { id, name, key_name, value, is_secret, description, order, required } = entry
  const item = {
    id,
    name,
    key: name,
    key_name,
    value: maskedText(value),
    is_secret,
    description,
    order,
    required,
  }
  return entry.templateParts === null ? item : { ...item, ...presentComposition(entry) }
}
