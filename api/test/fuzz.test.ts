import { expect, test } from 'vitest'
import { databases } from './api.ts'
import { fuzz } from './fuzz.ts'

test.each(databases)(
  '5,000 generated requests on %s are answered as the table says',
  { timeout: 180_000 },
  async (kind) => {
    await expect(fuzz(kind, 5_000)).resolves.toBeUndefined()
  },
)
