import { expect, test } from 'vitest'
import { databases } from './api.ts'
import { fuzz } from './fuzz.ts'

// Sixteen for each endpoint; `npm run faults -- fuzz` sends thousands.
const REQUESTS = 500

test.each(databases)(
  'generated requests to every endpoint on %s are answered as the table says',
  async (kind) => {
    await expect(fuzz(kind, REQUESTS)).resolves.toBeUndefined()
  },
)
