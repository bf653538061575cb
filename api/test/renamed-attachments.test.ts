import { afterAll, expect, test } from 'vitest'
import { renameAttachments, renamedKeys, stopRenaming } from './renaming.ts'

// The tests of the interface once more, with every attachment renamed.
const AGAIN = ['attachments', 'approvals', 'bundles', 'candidates', 'keys', 'legacy-items', 'waiting']

renameAttachments()
// A worker may have run them before; only another address is loaded again.
for (const name of AGAIN) await import(`./${name}.test.ts?renamed`)
afterAll(stopRenaming)

test('keys were renamed', () => {
  expect(renamedKeys()).toBeGreaterThan(50)
})
