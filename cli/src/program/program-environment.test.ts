import { expect, test } from 'vitest'
import { programEnvironment } from './program-environment.ts'

test('a program gets no credential of a machine, and no path to one', () => {
  const names = ['KEYFERRY_TOKEN', 'KEYFERRY_TOKEN_FILE', 'KEYFERRY_ID_TOKEN', 'KEYFERRY_ID_TOKEN_FILE']
  const existing = Object.fromEntries([...names, 'HOME'].map((name) => [name, 'x']))
  const env = programEnvironment(existing, new Map([['A', '1']]), { isOnly: false, keepsExisting: false })
  expect(env).toEqual({ HOME: 'x', A: '1', KEYFERRY_LOADED: '1' })
})
