import { ALLOWED, DELETE, GET, POST, PUT } from '../endpoint.ts'
import * as attachment from '../schemas/attachment.ts'
import * as key from '../schemas/key.ts'

/** Keys in bundles. */
export const attachmentEndpoints = {
  listBundleKeys: GET('/api/v1/bundles/{bundle_id}/keys', 'member', {
    program: 'read',
    summary: "List a bundle's attached keys in order",
    answer: attachment.AttachedKeyList,
  }),
  listSharedKeys: GET('/api/v1/bundles/{bundle_id}/shared-keys', 'member', {
    summary: "List a bundle's keys that other bundles use too",
    answer: attachment.SharedKeyList,
  }),
  attachKey: POST('/api/v1/bundles/{bundle_id}/keys/{key_id}', 'member', {
    touch: { by: 'attachment', lasts: 'effect' },
    summary: 'Attach a library key to a bundle (owner, or a member whom the rules allow both)',
    body: attachment.AttachKey,
    bodyOptional: true,
    created: attachment.AttachedToBundle,
  }),
  changeAttachment: PUT('/api/v1/bundles/{bundle_id}/keys/{key_id}', 'member', {
    touch: { by: 'attachment', lasts: 'effect' },
    summary: `Change the name under which a bundle delivers a key, whether it is required, or use another key in its place${ALLOWED}`,
    body: attachment.ChangeAttachment,
    answer: attachment.ChangedAttachment,
  }),
  splitKey: POST('/api/v1/bundles/{bundle_id}/keys/{key_id}/split', 'owner', {
    touch: { by: 'attachment', lasts: 'effect' },
    summary: 'Replace a shared key in one bundle by a copy, with another value if one is given',
    query: key.SaveKeyQuery,
    body: attachment.SplitKey,
    bodyOptional: true,
    created: key.SavedKey,
  }),
  detachKey: DELETE('/api/v1/bundles/{bundle_id}/keys/{key_id}', 'member', {
    touch: { by: 'attachment', lasts: 'effect' },
    summary: `Detach a key; it stays in the library${ALLOWED}`,
  }),
  reorderKey: PUT('/api/v1/bundles/{bundle_id}/keys/{key_id}/order', 'member', {
    touch: 'gives_nothing',
    summary: `Move an attached key to a position${ALLOWED}`,
    body: attachment.ReorderKey,
    errors: [409],
  }),
}
