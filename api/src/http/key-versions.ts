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

type KeyVersionHandlers = Pick<Handlers, 'listKeyVersions' | 'restoreKeyVersion' | 'destroyKeyVersion'>

export function keyVersionHandlers({ stores, clock }: HandlerParts): KeyVersionHandlers {
  const { keys, keyVersions: versions } = stores
  return {
    async listKeyVersions({ caller, params, query: page }) {
      const listed = await listVersions(versions, caller, { keyId: params.key_id, page })
      return pageReply(listed, presentVersion)
    },
    async restoreKeyVersion({ caller, params, body: { version, expected_version: expectedVersion } }) {
      const restoring = { keyId: params.key_id, version, expectedVersion }
      const key = await restoreVersion({ keys, versions, clock }, caller, restoring)
      return { status: 200, body: presentKey(key, caller, clock.now()) }
    },
    async destroyKeyVersion({ caller, params: { key_id: keyId, version } }) {
      await destroyVersion({ versions, clock }, caller, { keyId, version })
      return { status: 200, body: { ok: true } }
    },
  }
}

function presentVersion(version: KeyVersion) {
  return { ...version, value: shownValue(version) }
}
