import { expect, test } from 'vitest'
import { canBeShown, shownCommand } from './claims.ts'

test.each([
  [
    ['deploy', '--token=abc'],
    ['deploy', '--token=***'],
  ],
  [
    ['deploy', '--github-token', 'abc'],
    ['deploy', '--github-token', '***'],
  ],
  [
    ['deploy', '--password', '--force'],
    ['deploy', '--password', '--force'],
  ],
  [
    ['env', 'API_KEY=abc', 'npm', 'start'],
    ['env', 'API_KEY=***', 'npm', 'start'],
  ],
  [
    ['sh', '-c', 'DB_PASSWORD=a npm start'],
    ['sh', '-c', 'DB_PASSWORD=*** npm start'],
  ],
  [
    ['psql', 'postgres://sam:abc@db/app'],
    ['psql', 'postgres://sam:***@db/app'],
  ],
  [
    ['curl', '-H', 'Authorization: Bearer abc'],
    ['curl', '-H', 'Authorization: ***'],
  ],
  [
    ['curl', '-u', 'sam:abc', 'https://example.com'],
    ['curl', '-u', 'sam:***', 'https://example.com'],
  ],
  [
    ['sudo', '/usr/bin/curl', '-usam:abc', '--proxy-user=sam:abc'],
    ['sudo', '/usr/bin/curl', '-usam:***', '--proxy-user=sam:***'],
  ],
  [
    ['http', '-a', 'sam:abc', 'example.com:8080/a'],
    ['http', '-a', 'sam:***', 'example.com:8080/a'],
  ],
  [
    ['sh', '-c', "cd x; curl -s --user 'sam:abc' https://example.com"],
    ['sh', '-c', "cd x; curl -s --user 'sam:***' https://example.com"],
  ],
])('what looks secret in %j stays here', (argv, shown) => {
  expect(shownCommand(argv)).toEqual({ argv: shown, isMasked: argv.join() !== shown.join() })
})

test('a harmless command is shown as it is', () => {
  const argv = ['npm', 'run', 'dev', '--', '--port=3000', 'https://example.com/a:b@c', "it's\nme"]
  expect(shownCommand(argv)).toEqual({ argv, isMasked: false })
})

test.each([
  [['docker', 'run', '-u', '1000:1000', 'image']],
  [['curl', '-u', 'sam', 'http://example.com:8080/']],
  [['http', ':8080/users', 'name:=1']],
  [['sh', '-c', 'curl -s http://example.com:80/; docker run -u a:b image']],
])('%j names no password', (argv) => {
  expect(shownCommand(argv)).toEqual({ argv, isMasked: false })
})

test('a command that is too long or no text cannot be shown whole', () => {
  expect(canBeShown(Array.from({ length: 64 }, () => 'x'))).toBe(true)
  expect(canBeShown(Array.from({ length: 65 }, () => 'x'))).toBe(false)
  expect(canBeShown(['x'.repeat(8_193)])).toBe(false)
  expect(canBeShown(['\ud800'])).toBe(false)
  expect(canBeShown(['a\0b'])).toBe(false)
})
