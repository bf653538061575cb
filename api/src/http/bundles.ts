import { createBundle, deleteBundle, findBundle, listBundles } from '../domain/bundle.ts'
import { type BundleEntry, bundleEntries } from '../domain/bundle-entry.ts'
import { maskedText } from '../domain/wanted-values.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { listReply } from './list-reply.ts'

type BundleHandlers = Pick<Handlers, 'createBundle' | 'listBundles' | 'getBundle' | 'deleteBundle'>

export function bundleHandlers({ stores, clock }: HandlerParts): BundleHandlers {
  return {
    async createBundle({ caller, body }) {
      return { status: 201, body: await createBundle(stores.bundles, caller, { draft: body, clock }) }
    },
    async listBundles({ caller, query: { limit, offset, ...filter } }) {
      const listing = await listBundles(stores.bundles, caller, { filter, page: { limit, offset } })
      return listReply(listing, (bundle) => bundle)
    },
    async getBundle({ caller, params }) {
      const place = { tenantId: caller.tenantId, bundleId: params.bundle_id }
      const [bundle, entries] = await Promise.all([
        findBundle(stores.bundles, caller, place.bundleId),
        bundleEntries(stores, place, 'public'),
      ])
      return { status: 200, body: { ...bundle, items: entries.map(presentEntry) } }
    },
    async deleteBundle({ caller, params }) {
      await deleteBundle(stores.bundles, caller, params.bundle_id)
      return { status: 200, body: { ok: true, message: 'bundle deleted' } }
    },
  }
}

function presentEntry(entry: BundleEntry) {
  return { ...entry, key: entry.name, value: maskedText(entry.value) }
}
