import {
  destroyVersion,
  type KeyVersion,
  listVersions,
  restoreVersion,
  shownValue,
} from '../domain/library/key-version.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentKey } from './keys.ts'
import { pageReply } from './list-reply.ts'

export function keyVersionHandlers({ stores, clock }: HandlerParts) {
  const { keys, keyVersions: versions } = stores
  return {
    listKeyVersions: async ({ caller, params, query: page }) =>
      pageReply(await listVersions(versions, caller, { keyId: params.key_id, page }), presentVersion),
    async restoreKeyVersion({ caller, params, body: { version, expected_version: expectedVersion } }) {
      const restoring = { keyId: params.key_id, version, expectedVersion }
      const key = await restoreVersion({ keys, versions, clock }, caller, restoring)
      return presentKey(key, clock.now())
    },
    destroyKeyVersion: ({ caller, params: { key_id: keyId, version } }) =>
      destroyVersion({ versions, clock }, caller, { keyId, version }),
  } satisfies Partial<Handlers>
}

function presentVersion(version: KeyVersion) {
  return { ...version, value: shownValue(version) }
}
