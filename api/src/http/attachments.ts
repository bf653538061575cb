import { stricterForMachines } from '../domain/approvals/value-rules.ts'
import {
  attachKey,
  changeAttachment,
  detachKey,
  listAttachedKeys,
  listSharedKeys,
  reorderKey,
} from '../domain/library/attachment.ts'
import type { AttachedKey } from '../domain/library/bundle-entry.ts'
import { splitKey } from '../domain/library/split.ts'
import { maskedText } from '../domain/library/wanted-values.ts'
import { requireReadable, shownTo } from '../domain/machines/machine-caller.ts'
import type { Caller } from '../domain/people/membership.ts'
import { presentComposition } from './composition.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentKey } from './keys.ts'
import { arrayReply } from './list-reply.ts'

export function attachmentHandlers({ stores, clock, requestParts }: HandlerParts) {
  const parts = { ...stores, clock }
  const stricter = ({ tenantId }: Caller, bundleId: string, keyId: string) =>
    stricterForMachines(requestParts, { tenantId, bundleId }, [keyId])
  return {
    async listBundleKeys({ caller, params }) {
      await requireReadable(stores.machineCallers, caller, params.bundle_id)
      const shown = { bundleId: params.bundle_id, values: shownTo(caller) }
      return arrayReply(await listAttachedKeys(stores, caller, shown), presentAttached)
    },
    listSharedKeys: ({ caller, params }) => listSharedKeys(stores, caller, params.bundle_id),
    async attachKey({ caller, params, body }) {
      await attachKey(parts, caller, { ...place(params), ...body, order: body.order })
      const message = 'key attached'
      return { ok: true, message, stricter: await stricter(caller, params.bundle_id, params.key_id) }
    },
    async changeAttachment({ caller, params, body }) {
      const { key_id: newKeyId, ...fields } = body
      await changeAttachment(parts, caller, { ...place(params), ...fields, newKeyId })
      const given = newKeyId === undefined ? [] : await stricter(caller, params.bundle_id, newKeyId)
      return { ok: true as const, stricter: given }
    },
    splitKey: async ({ caller, params, body }) =>
      presentKey(await splitKey(parts, caller, { ...place(params), draft: body }), clock.now()),
    detachKey: ({ caller, params }) => detachKey(parts, caller, place(params)),
    reorderKey: ({ caller, params, body }) =>
      reorderKey(parts, caller, { ...place(params), order: body.order }),
  } satisfies Partial<Handlers>
}

function place(params: { bundle_id: string; key_id: string }) {
  return { bundleId: params.bundle_id, keyId: params.key_id }
}

function presentAttached(key: AttachedKey) {
  const { id, name, key_name, value, is_secret, order, required } = key
  const shown = { id, name, key_name, value: maskedText(value), is_secret, order, required }
  return { ...shown, ...presentComposition(key) }
}
