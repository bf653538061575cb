import type { LibraryMove, LibraryMoveRequest } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'

/** What `keyferry-server export-library` wrote; null for any other text. */
export function sealedLibraryIn(text: string): LibraryMoveRequest['library'] | null {
  try {
    const { keyferry_library, kid, box_base64 } = JSON.parse(text)
    if (keyferry_library !== 1 || typeof kid !== 'string' || typeof box_base64 !== 'string') return null
    return { keyferry_library, kid, box_base64 }
  } catch {
    return null
  }
}

/** What arrives, for example `2 bundles and 7 keys`. */
export function movedText({ bundles, keys }: LibraryMove): string {
  const arriving = bundles.filter(({ action }) => action === 'create').length
  const made = keys.filter(({ action }) => action === 'create' || action === 'rename').length
  return `${counted(arriving, 'bundle')} and ${counted(made, 'key')}`
}
