import { MASK } from '@keyferry/contract'
import { stampOf } from '../domain/base/stamp.ts'
import { convertLegacyItem, upsertLegacyItem } from '../domain/library/legacy-item.ts'
import { importItems } from '../domain/transfer/import.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentKey } from './keys.ts'

export function legacyItemHandlers({ stores, clock }: HandlerParts) {
  return {
    async importItems({ caller, params, body }) {
      const imported = { bundleId: params.bundle_id, from: body, clock }
      const { created, updated } = await importItems(stores, caller, imported)
      return { ok: true, imported: created, created, updated }
    },
    async upsertLegacyItem({ caller, params, body }) {
      await upsertLegacyItem(stores, caller, { bundleId: params.bundle_id, draft: body, clock })
      return { ...body, value: body.is_secret ? MASK : body.value }
    },
    convertLegacyItem: async ({ caller, params: { bundle_id: bundleId, key_name: name } }) =>
      presentKey(await convertLegacyItem(stores, caller, { bundleId, name, clock }), clock.now()),
    deleteLegacyItem: ({ caller, params: { bundle_id: bundleId, key_name: name } }) =>
      stores.legacyItems.delete({ bundleId, name }, stampOf(caller, clock)),
  } satisfies Partial<Handlers>
}
