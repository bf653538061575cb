import { expect, test } from 'vitest'
import { joined } from './counted.ts'

const FORMATS = {
  and: new Intl.ListFormat('en', { type: 'conjunction' }),
  or: new Intl.ListFormat('en', { type: 'disjunction' }),
}

test.each(['and', 'or'] as const)('names are joined with "%s" as English does', (word) => {
  for (let count = 0; count <= 5; count += 1) {
    const names = Array.from({ length: count }, (_, index) => `name${index}`)
    expect(joined(names, word)).toBe(FORMATS[word].format(names))
  }
})
