import { expect, test } from 'vitest'
import { failureLine } from '../src/failure-line.ts'
import { readSettings } from '../src/settings/settings.ts'
import { StartError } from '../src/start-error.ts'

const SETTINGS = readSettings({
  HOST: '10.0.0.5',
  PORT: '80',
  METRICS_HOST: '10.0.0.6',
  METRICS_PORT: '90',
  DATABASE_URL: 'postgres://keyferry:p%40ss@db.example/keyferry',
  REDIS_URL: 'redis://:w0rd@cache.example',
})

const failed = (message: string, facts: object = {}) => Object.assign(new Error(message), facts)
const listening = (code: string, facts: object = {}) => failed('x', { syscall: 'listen', code, ...facts })

test.each([
  [new StartError('a line\n  and another'), 'a line and another'],
  ['no error', 'cannot start'],
  [failed('something else'), 'something else'],
  [
    listening('EADDRINUSE'),
    'port 80 on 10.0.0.5 is in use: stop the program that listens there, or set PORT',
  ],
  [
    listening('EADDRINUSE', { port: 90 }),
    'port 90 on 10.0.0.6 is in use: stop the program that listens there, or set METRICS_PORT',
  ],
  [listening('EACCES'), 'no permission to listen on port 80 on 10.0.0.5: set PORT to 1024 or more'],
  [listening('EADDRNOTAVAIL'), 'HOST 10.0.0.5 is not an address of this machine: set HOST'],
  [
    listening('ENOTFOUND', { syscall: 'getaddrinfo', port: 90 }),
    'METRICS_HOST 10.0.0.6 is not an address of this machine: set METRICS_HOST',
  ],
  [listening('EAI_AGAIN', { syscall: 'bind' }), 'HOST 10.0.0.5 is not an address of this machine: set HOST'],
  [listening('EPIPE'), 'x'],
  [failed('open', { syscall: 'open', code: 'EACCES' }), 'open'],
  [failed('no such role', { severity: 'FATAL' }), 'DATABASE_URL: PostgreSQL answered: no such role'],
  [
    failed('denied', { severity: 'ERROR', code: '42501' }),
    'DATABASE_URL: PostgreSQL answered: denied: make its user own the database',
  ],
  [
    failed('The server does not support SSL connections'),
    'DATABASE_URL: PostgreSQL offers no TLS: set up TLS there, or use sslmode=disable on a network of your own',
  ],
  [
    failed('the database is away', { code: 'unavailable', cause: new Error('refused') }),
    'DATABASE_URL: the database does not answer or refuses the connection (refused)',
  ],
  [
    failed('Redis is away', { code: 'unavailable', cause: new Error('') }),
    'REDIS_URL: Redis does not answer or refuses the connection',
  ],
  [failed('the mail is away', { code: 'unavailable' }), 'the mail is away'],
  [
    failed(`${SETTINGS.DATABASE_URL} p%40ss p@ss ${SETTINGS.REDIS_URL} w0rd`, { code: 'ECONNREFUSED' }),
    '… … … … …',
  ],
])('%s is reported as: %s', (error, line) => {
  expect(failureLine(error, SETTINGS)).toBe(`keyferry-server: ${line}\n`)
})

test('before the settings are read, only the message of an error is printed', () => {
  expect(failureLine(listening('EADDRINUSE'), null)).toBe('keyferry-server: x\n')
})

test('without DATABASE_URL and REDIS_URL, the message is printed unchanged', () => {
  expect(failureLine(failed('no room'), readSettings({}))).toBe('keyferry-server: no room\n')
})

test('of several hosts, no address is printed', () => {
  const several = readSettings({
    DATABASE_URL: 'postgres://keyferry:p%40ss@one.example,two.example/keyferry',
  })
  const address = 'postgres://keyferry:p%40ss@two.example/keyferry'
  expect(failureLine(failed(`no answer from ${address}`), several)).toBe(
    'keyferry-server: no answer from …\n',
  )
})
