import { moveLibrary } from '../domain/transfer/library-move.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function libraryMoveHandlers(parts: HandlerParts): Pick<Handlers, 'moveLibrary'> {
  return {
    async moveLibrary({ caller, body }) {
      const move = { sealed: body.library, isDryRun: body.dry_run, planId: body.plan_id }
      const { planId, bundles, keys, bundleIds } = await moveLibrary(parts, caller, move)
      return {
        status: 200,
        body: {
          plan_id: planId,
          bundles: bundles.map(({ bundle: { name, entries }, action }, index) => {
            return { name, action, key_count: entries.length, bundle_id: bundleIds[index] ?? null }
          }),
          keys: keys.map(({ key: { name }, action, keyName }) => ({ name, action, key_name: keyName })),
        },
      }
    },
  }
}
