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
import { presentComposition } from './composition.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentKey } from './keys.ts'
import { jsonArray, readEntries } from './list-reply.ts'

type AttachmentHandlers = Pick<
  Handlers,
  | 'listBundleKeys'
  | 'listSharedKeys'
  | 'attachKey'
  | 'changeAttachment'
  | 'splitKey'
  | 'detachKey'
  | 'reorderKey'
>

export function attachmentHandlers({ stores, clock }: HandlerParts): AttachmentHandlers {
  const parts = { ...stores, clock }
  return {
    async listBundleKeys({ caller, params }) {
      await requireReadable(stores.machineCallers, caller, params.bundle_id)
      const shown = { bundleId: params.bundle_id, values: shownTo(caller) }
      const keys = await readEntries(await listAttachedKeys(stores, caller, shown), presentAttached)
      if ('entries' in keys) return { status: 200, body: keys.entries }
      return { status: 200, stream: jsonArray(keys.chunks) }
    },
    async listSharedKeys({ caller, params }) {
      return { status: 200, body: await listSharedKeys(stores, caller, params.bundle_id) }
    },
    async attachKey({ caller, params, body }) {
      await attachKey(parts, caller, { ...place(params), ...body, order: body.order })
      return { status: 201, body: { ok: true, message: 'key attached' } }
    },
    async changeAttachment({ caller, params, body }) {
      const { key_id: newKeyId, ...fields } = body
      await changeAttachment(parts, caller, { ...place(params), ...fields, newKeyId })
      return { status: 200, body: { ok: true } }
    },
    async splitKey({ caller, params, body }) {
      const key = await splitKey(parts, caller, { ...place(params), draft: body })
      return { status: 201, body: presentKey(key, caller, clock.now()) }
    },
    async detachKey({ caller, params }) {
      await detachKey(parts, caller, place(params))
      return { status: 200, body: { ok: true } }
    },
    async reorderKey({ caller, params, body }) {
      await reorderKey(parts, caller, { ...place(params), order: body.order })
      return { status: 200, body: { ok: true } }
    },
  }
}

function place(params: { bundle_id: string; key_id: string }) {
  return { bundleId: params.bundle_id, keyId: params.key_id }
}

function presentAttached(key: AttachedKey) {
  const { id, name, key_name, value, is_secret, order, required } = key
  const shown = { id, name, key_name, value: maskedText(value), is_secret, order, required }
  return key.templateParts === null ? shown : { ...shown, ...presentComposition(key) }
}
