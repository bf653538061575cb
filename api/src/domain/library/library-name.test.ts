import { expect, test } from 'vitest'
import { libraryNames } from './library-name.ts'

function names(bundleName: string, name: string, count: number): string[] {
  const candidates = libraryNames({ bundleName, name, field: 'key_names' })
  return Array.from({ length: count }, () => candidates.next().value)
}

test.each([
  ['prod/app', 'DATABASE_URL', 'PROD_APP_DATABASE_URL'],
  ['dev/my-web_app', 'Port', 'DEV_MY_WEB_APP_Port'],
  ['a--b/c', 'X', 'A_B_C_X'],
  ['a', '1', 'A_1'],
])('the key of %s for %s is called %s', (bundle, name, expected) => {
  expect(names(bundle, name, 1)).toEqual([expected])
})

test('where a name is taken, a number follows', () => {
  expect(names('prod/app', 'URL', 3)).toEqual(['PROD_APP_URL', 'PROD_APP_URL_2', 'PROD_APP_URL_3'])
})

test('a name that is too long names the field in which to give one', () => {
  const message = 'has more than 255 characters: choose a shorter one for URL with key_names'
  expect(() => names('b'.repeat(252), 'URL', 1)).toThrow(message)
  expect(names('b'.repeat(251), 'URL', 1)).toHaveLength(1)
  expect(() => names('b'.repeat(251), 'URL', 2)).toThrow(message)
})
