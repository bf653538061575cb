import { expect, test } from 'vitest'
import { checkpointIn, nextFrom } from './log-texts.ts'

const NOTE =
  'keyferry chain v1\nkeyferry.example.com/audit/7e4d\n1234\nAAAA\n2 2026-01-31T12:00:00.000Z\n\n— x y\n'

test('a note says how far the log is sealed, and when', () => {
  expect(checkpointIn(NOTE)).toEqual({ seq: 1234, at: '2026-01-31T12:00:00.000Z' })
  expect(checkpointIn('')).toBeNull()
})

test('the last line of an export says where the next part begins', () => {
  expect(nextFrom('{"hash":"…","event":{"seq":1}}\n{"note":"…","next_from_seq":100001}\n')).toBe(100_001)
  expect(nextFrom('{"hash":"…","event":{"seq":1}}\n{"note":"…"}\n')).toBeNull()
})
