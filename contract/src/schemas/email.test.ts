import { expect, test } from 'vitest'
import { Email } from './text.ts'

test.each([
  'sam@example.com',
  "o'neil+keys@mail.example.co.uk",
  'sam@bücher.example',
  'sam@xn--bcher-kva.example',
  'sam@例え.テスト',
  'sam@example.xn--p1ai',
  'jürgen@example.com',
  'sam@हिन्दी.भारत',
  'a!#$%&*/=?^_`{|}~b@example.com',
])('%s is an e-mail address', (address) => {
  expect(Email.safeParse(address).success).toBe(true)
})

test.each([
  '',
  'sam',
  'root@localhost',
  '@example.com',
  'sam@',
  'sam@example..com',
  '.sam@example.com',
  'sam.@example.com',
  's@m@example.com',
  'sam@-example.com',
  'sam@192.168.0.1',
  'sam@example.com\n',
  'sam kim@example.com',
  'sam\u202e@example.com',
  `${'a'.repeat(250)}@example.com`,
])('%j is not an e-mail address', (address) => {
  expect(Email.safeParse(address).success).toBe(false)
})

test('a long hostile text is refused at once', () => {
  const before = process.threadCpuUsage()
  expect(Email.safeParse(`a@${'a-'.repeat(120)}`).success).toBe(false)
  expect(process.threadCpuUsage(before).user).toBeLessThan(200_000)
})
