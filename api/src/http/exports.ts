import { envTextOf, exportBundle } from '../domain/export.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { requireRevealing } from './keys.ts'

export function exportHandlers({ stores, devAllowPlaintext }: HandlerParts): Pick<Handlers, 'exportBundle'> {
  return {
    async exportBundle({ caller, params, query: { format, reveal } }) {
      const isRevealed = reveal === '1'
      if (isRevealed) requireRevealing(devAllowPlaintext)
      const values = isRevealed ? 'all' : 'public'
      const exported = await exportBundle(stores, caller, { bundleId: params.bundle_id, values })
      return { status: 200, body: format === 'env' ? envTextOf(exported) : flatObject(exported) }
    },
  }
}

// Without a prototype, so that every allowed key name works, `__proto__` too.
function flatObject(exported: Iterable<readonly [string, string]>): Record<string, string> {
  const object: Record<string, string> = Object.create(null)
  for (const [name, value] of exported) object[name] = value
  return object
}
