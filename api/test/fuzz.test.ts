import { expect, test } from 'vitest'
import { oneDatabase } from './api.ts'
import { fuzz } from './fuzz.ts'

// Sixteen for each endpoint; `npm run faults -- fuzz` sends thousands.
const REQUESTS = 500

test.each(oneDatabase)(
  'generated requests to every endpoint on %s are answered as the table says',
  async (kind) => {
    await expect(fuzz(kind, REQUESTS)).resolves.toBeUndefined()
  },
)
