import { registerHooks } from 'node:module'

// Preloaded into a server (`node --import`), this replaces the door through which events enter the outbox by one that
// records nothing. It exists for measurements only: the server itself has no such switch.
const RECORDED = new URL('../api/src/storage/base/recording.ts', import.meta.url).href
const UNRECORDED = new URL('unrecorded.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    return resolved.url === RECORDED ? { ...resolved, url: UNRECORDED } : resolved
  },
})
