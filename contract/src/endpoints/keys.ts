import { ALLOWED, DELETE, GET, POST, PUT } from '../endpoint.ts'
import * as delivery from '../schemas/delivery.ts'
import * as key from '../schemas/key.ts'
import * as batch from '../schemas/key-batch.ts'
import * as version from '../schemas/key-version.ts'

/** Library keys, their versions and their holders. */
export const keyEndpoints = {
  createKey: POST('/api/v1/keys', 'member', {
    touch: 'gives_nothing',
    summary: 'Create a library key',
    body: key.CreateKey,
    created: key.Key,
    errors: [409],
  }),
  listKeys: GET('/api/v1/keys', 'member', {
    summary: 'List library keys by name; secret values masked',
    query: key.ListKeysQuery,
    answer: key.KeyList,
  }),
  getKey: GET('/api/v1/keys/{key_id}', 'member', {
    summary: 'A library key and the bundles that use it',
    query: key.GetKeyQuery,
    answer: key.KeyWithBundles,
  }),
  updateKey: PUT('/api/v1/keys/{key_id}', 'member', {
    touch: { by: 'key', lasts: 'effect' },
    summary: `Change a library key, in every bundle that uses it${ALLOWED}`,
    query: key.SaveKeyQuery,
    body: key.UpdateKey,
    answer: key.SavedKey,
  }),
  deleteKey: DELETE('/api/v1/keys/{key_id}', 'owner', {
    touch: { by: 'key', lasts: 'never' },
    summary: 'Delete a library key, from every bundle too',
  }),
  changeKeys: POST('/api/v1/keys/batch', 'member', {
    touch: { by: 'body', lasts: 'effect' },
    summary:
      'Attach, detach or delete several keys, or declare them secret, all or nothing (owner; a member where each key alone would be allowed)',
    body: batch.ChangeKeys,
    answer: batch.ChangedKeys,
  }),
  findKeyUses: POST('/api/v1/keys/uses', 'member', {
    touch: 'gives_nothing',
    summary: 'The bundles that use any of several keys',
    body: batch.FindKeyUses,
    answer: batch.KeyUses,
  }),
  listKeyVersions: GET('/api/v1/keys/{key_id}/versions', 'member', {
    summary: 'The versions of a key, newest first',
    query: version.ListVersionsQuery,
    answer: version.KeyVersionList,
  }),
  restoreKeyVersion: POST('/api/v1/keys/{key_id}/restore', 'member', {
    touch: { by: 'key', lasts: 'never' },
    summary:
      'Make an older value the newest version (owner; within 10 minutes also who set the value, to undo that)',
    query: key.SaveKeyQuery,
    body: version.RestoreVersion,
    answer: key.SavedKey,
  }),
  destroyKeyVersion: DELETE('/api/v1/keys/{key_id}/versions/{version}', 'owner', {
    touch: { by: 'key', lasts: 'never' },
    summary: 'Destroy the value of an older version; who set it and when stays',
    params: version.KeyVersionParams,
  }),
  listHolders: GET('/api/v1/keys/{key_id}/holders', 'member', {
    summary: 'Who was given which version of a key, the oldest version first',
    query: delivery.ListHoldersQuery,
    answer: delivery.HolderList,
  }),
  dismissHolder: DELETE('/api/v1/keys/{key_id}/holders/{holder}', 'owner', {
    touch: { by: 'key', lasts: 'never' },
    summary: 'Take a holder off the list until it is given the key again',
  }),
  listStaleKeys: GET('/api/v1/stale-keys', 'member', {
    summary: 'Keys with holders who were given an older version last, by name',
    query: delivery.ListStaleKeysQuery,
    answer: delivery.StaleKeyList,
  }),
}
