import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiPage } from '../test/api-page.ts'
import { schemaTexts } from '../test/schema-texts.ts'

test('docs/api.md is what the endpoint table says', async () => {
  await expect(apiPage()).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/api.md'))
})

test('the OpenAPI document has the texts of the schemas', async () => {
  await expect(schemaTexts()).toMatchFileSnapshot(join(import.meta.dirname, 'schema-texts.json'))
})
