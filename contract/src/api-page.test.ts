import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiPage } from '../test/api-page.ts'

test('docs/api.md is what the endpoint table says', async () => {
  await expect(apiPage()).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/api.md'))
})
