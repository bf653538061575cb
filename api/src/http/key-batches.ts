import { changeKeys, findKeyUses } from '../domain/library/key-batch.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function keyBatchHandlers({
  stores,
  clock,
}: HandlerParts): Pick<Handlers, 'changeKeys' | 'findKeyUses'> {
  const parts = { ...stores, clock }
  return {
    async changeKeys({ caller, body: { key_ids: keyIds, ...body } }) {
      const change =
        'bundle_id' in body ? { action: body.action, bundleId: body.bundle_id } : { action: body.action }
      return { status: 200, body: await changeKeys(parts, caller, { keyIds, change }) }
    },
    async findKeyUses({ caller, body }) {
      return { status: 200, body: { bundles: await findKeyUses(stores.keyBatches, caller, body.key_ids) } }
    },
  }
}
