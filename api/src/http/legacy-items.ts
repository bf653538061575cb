import { MASK } from '@keyferry/contract'
import { convertLegacyItem } from '../domain/library/legacy-conversion.ts'
import { deleteLegacyItem, upsertLegacyItem } from '../domain/library/legacy-item.ts'
import { importItems } from '../domain/transfer/import.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentKey } from './keys.ts'

type LegacyItemHandlers = Pick<
  Handlers,
  'importItems' | 'upsertLegacyItem' | 'convertLegacyItem' | 'deleteLegacyItem'
>

export function legacyItemHandlers({ stores, clock }: HandlerParts): LegacyItemHandlers {
  return {
    async importItems({ caller, params, body }) {
      const { created, updated } = await importItems(stores, caller, {
        bundleId: params.bundle_id,
        from: body,
        clock,
      })
      return { status: 200, body: { ok: true, imported: created, created, updated } }
    },
    async upsertLegacyItem({ caller, params, body }) {
      await upsertLegacyItem(stores, caller, { bundleId: params.bundle_id, draft: body, clock })
      return { status: 200, body: { ...body, value: body.is_secret ? MASK : body.value } }
    },
    async convertLegacyItem({ caller, params }) {
      const place = { bundleId: params.bundle_id, name: params.key_name }
      const key = await convertLegacyItem(stores, caller, { ...place, clock })
      return { status: 201, body: presentKey(key, caller, clock.now()) }
    },
    async deleteLegacyItem({ caller, params }) {
      const place = { bundleId: params.bundle_id, name: params.key_name }
      await deleteLegacyItem(stores, caller, { ...place, clock })
      return { status: 200, body: { ok: true } }
    },
  }
}
