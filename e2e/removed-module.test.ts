import { expect, test } from 'vitest'
import { CopyWithout } from './removed-module.ts'

// `npm run faults -- modules` checks the types of the copy too.
test('without the folders of webhooks and their lines in the lists, the server delivers', async () => {
  using copy = new CopyWithout('webhooks')
  const { output, status } = await copy.deliver('/api/v1/webhooks')
  expect(output).toContain('delivered without it\n')
  expect(status).toBe(404)
})
