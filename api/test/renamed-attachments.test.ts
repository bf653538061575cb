import { expect, test } from 'vitest'
import { renameAttachments, renamedKeys } from './renaming.ts'

// The tests of the interface once more, with every attachment renamed.
renameAttachments()
await import('./attachments.test.ts')
await import('./approvals.test.ts')
await import('./bundles.test.ts')
await import('./candidates.test.ts')
await import('./keys.test.ts')
await import('./legacy-items.test.ts')
await import('./waiting.test.ts')

test('keys were renamed', () => {
  expect(renamedKeys()).toBeGreaterThan(50)
})
