import { expect, test } from 'vitest'
import { canBeShown, claims, sentCommand, shownCommand } from './claims.ts'

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

const SECRET_WORDS = [
  'token',
  'secret',
  'passwd',
  'password',
  'passphrase',
  'api-key',
  'api_key',
  'apikey',
  'access-key',
  'access_key',
  'accesskey',
  'private-key',
  'private_key',
  'privatekey',
  'credential',
  'credentials',
]

test.each(SECRET_WORDS)('the word after an option %s stays here, in each of its forms', (word) => {
  for (const option of [`--${word}`, `-${word}`, `--db-${word}`, `--${word.toUpperCase()}`]) {
    expect(shownCommand(['x', option, 'abc'])).toEqual({ argv: ['x', option, '***'], isMasked: true })
    expect(shownCommand(['x', `${option}=abc`])).toEqual({ argv: ['x', `${option}=***`], isMasked: true })
    expect(shownCommand(['x', `${option}=a\nb c`]).argv).toEqual(['x', `${option}=***`])
    expect(shownCommand(['x', option, 'abc', 'def']).argv).toEqual(['x', option, '***', 'def'])
  }
  expect(shownCommand(['x', `--${word}-id=abc`]).argv).toEqual(['x', `--${word}-id=***`])
})

test.each(SECRET_WORDS.filter((word) => !word.includes('-')))(
  'a variable %s keeps its value here',
  (word) => {
    for (const name of [word, `MY_${word.toUpperCase()}`, `${word}_2`]) {
      expect(shownCommand(['env', `${name}=abc`, 'x']).argv).toEqual(['env', `${name}=***`, 'x'])
      expect(shownCommand(['sh', '-c', `cd a && ${name}=abc x`]).argv.at(-1)).toBe(`cd a && ${name}=*** x`)
    }
  },
)

test.each(['Authorization', 'proxy-authorization', 'Cookie', 'X-Api-Key', 'x-auth-token', 'X-Vault-Token'])(
  'what a header %s says stays here',
  (header) => {
    expect(shownCommand(['curl', '-H', `${header}: abc def`]).argv).toEqual(['curl', '-H', `${header}: ***`])
  },
)

test.each(['curl', 'wget', 'http', 'https', 'xh', '/usr/bin/curl', 'C:\\tools\\curl.exe'])(
  'the password that %s sends stays here, after each of its options',
  (program) => {
    for (const option of ['-u', '-U', '-a', '--user', '--proxy-user', '--auth'])
      expect(shownCommand([program, option, 'sam:abc']).argv).toEqual([program, option, 'sam:***'])
    for (const option of ['-u', '-U', '-a', '--user=', '--proxy-user=', '--auth='])
      expect(shownCommand([program, `${option}sam:abc`]).argv).toEqual([program, `${option}sam:***`])
  },
)

test('each of the texts that are sent about a command has the mask', () => {
  const command = ['gpg', '--passphrase', 'abc', '--token=def', '-d', 'a.gpg']
  const about = claims({ command, agent: null, reason: null }, { env: {}, cwd: '/home/sam' })
  expect(about['command']).toBe("gpg --passphrase '***' '--token=***' -d a.gpg")
  expect(sentCommand(command)).toEqual(['gpg', '--passphrase', '***', '--token=***', '-d', 'a.gpg'])
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
