import { expect, test } from 'vitest'
import { requireStrongPassword } from './password-rule.ts'

const EMAIL = 'samantha.jones@example.com'

test.each([
  'password1234',
  'qwertyuiop12',
  'iloveyou12345',
  '123456789012',
  'aaaaaaaaaaaaaaaaaaaa',
  'abcdefghijkl',
  'passwordpassword',
  'samantha.jones',
  'samantha.jones@example.com',
  'keyferry1234',
])('%s is refused', async (password) => {
  await expect(requireStrongPassword(password, EMAIL)).rejects.toMatchObject({
    code: 'invalid',
    details: { field: 'password' },
  })
})

test.each(['correct horse battery', 'monkey dragon teapot', 'vX9#kq2LmZ0p', 'пароль из четырёх слов'])(
  '%s is accepted',
  async (password) => {
    await expect(requireStrongPassword(password, EMAIL)).resolves.toBeUndefined()
  },
)

test('the longest password is judged at once', async () => {
  await requireStrongPassword('a first one loads the dictionaries', EMAIL)
  const before = process.threadCpuUsage()
  await requireStrongPassword('correct horse battery '.repeat(40), EMAIL)
  expect(process.threadCpuUsage(before).user).toBeLessThan(500_000)
})
