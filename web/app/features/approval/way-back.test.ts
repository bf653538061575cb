import { describe, expect, test } from 'vitest'
import { readFragment } from './way-back.ts'

const TOKEN = 'A-b_'.repeat(11).slice(0, 43)

describe('the fragment of the approval page', () => {
  test('names a port and a path of the client', () => {
    expect(readFragment(`#lb=40123.${TOKEN}`)).toEqual({ port: 40_123, token: TOKEN })
  })

  test.each([
    '',
    '#lb=',
    `#lb=0.${TOKEN}`,
    `#lb=65536.${TOKEN}`,
    `#lb=123456.${TOKEN}`,
    `#lb=80.${TOKEN}x`,
    `#lb=80.${TOKEN.slice(1)}`,
    `#lb=80.${TOKEN.slice(1)}/`,
    `#lb=80@evil.example.${TOKEN}`,
    `#x&lb=80.${TOKEN}`,
    '#released',
    '#failed',
  ])('names nothing: %s', (hash) => {
    expect(readFragment(hash)).toBeNull()
  })
})
