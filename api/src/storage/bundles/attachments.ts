import type { Bounds } from '../../domain/base/bounds.ts'
import type { AttachmentStore } from '../../domain/library/attachment.ts'
import { isMissingReference, unless } from '../base/database.ts'
import type { Queries } from '../base/queries.ts'
import type { ValueVault } from '../keys-at-rest/value-vault.ts'
import { readAttachedKeys } from './attached-keys.ts'
import { changeAttachment, changeInBundle, detach } from './attachment-changes.ts'
import { attach } from './attachment-insertion.ts'
import { move } from './attachment-positions.ts'

/** `no_key`: the key was deleted after it was looked up. */
export function createAttachmentStore(queries: Queries, vault: ValueVault, bounds: Bounds): AttachmentStore {
  const { write } = queries
  return {
    ...readAttachedKeys(queries, vault),
    insert: (tenantId, attachment, stamp) =>
      unless(isMissingReference, 'no_key', () =>
        write((transaction) => attach(transaction, { tenantId, attachment, stamp, bounds })),
      ),
    delete: (tenantId, attachment, stamp) =>
      changeInBundle(queries, { tenantId, stamp, action: 'bundle.detached', ...attachment }, (transaction) =>
        detach(transaction, tenantId, attachment),
      ),
    change: (tenantId, change, stamp) =>
      unless(isMissingReference, 'no_key', () =>
        write((transaction) => changeAttachment(transaction, { tenantId, change, stamp })),
      ),
    move: (tenantId, { order, ...attachment }, stamp) => {
      const data = { position: order }
      const place = { tenantId, stamp, action: 'bundle.reordered', data, ...attachment } as const
      return changeInBundle(queries, place, (transaction) =>
        move(transaction, tenantId, { order, ...attachment }),
      )
    },
  }
}
