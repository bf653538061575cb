import { afterEach, expect, test } from 'vitest'
import { keepText, keptText } from './kept.ts'

function storage(kept = new Map<string, string>()) {
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  }
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'localStorage')
})

const keep = (value: object) =>
  Object.defineProperty(globalThis, 'localStorage', { value, configurable: true })

test('a text is kept until it is null', () => {
  keep(storage())
  keepText('theme', 'dark')
  expect(keptText('theme')).toBe('dark')
  keepText('theme', null)
  expect(keptText('theme')).toBeNull()
})

test('a browser without storage causes no failure', () => {
  keep({})
  keepText('theme', 'dark')
  expect(keptText('theme')).toBeNull()
})
