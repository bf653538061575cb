import { afterEach, expect, test, vi } from 'vitest'
import { importCommand, installCommand, runCommand } from './client-command.ts'

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64)', 'curl -fsS https://keyferry.example/install.sh | sh'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'irm https://keyferry.example/install.ps1 | iex'],
])('the client is installed from this server: %s', (userAgent, command) => {
  vi.stubGlobal('location', { origin: 'https://keyferry.example' })
  vi.stubGlobal('navigator', { userAgent })
  expect(installCommand()).toBe(command)
})

test('the client finds the usual server by itself', () => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:5393' })
  expect(importCommand('dev/app')).toBe('keyferry import .env --bundle dev/app')
  expect(runCommand('dev/app')).toBe('keyferry run dev/app -- npm run dev')
})

test('a workspace is named by its id', () => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:5393' })
  expect(importCommand('dev/app', 'some-id')).toBe(
    'keyferry import .env --bundle dev/app --workspace some-id',
  )
})

test('any other server is named, before the program', () => {
  vi.stubGlobal('location', { origin: 'https://keyferry.example' })
  expect(importCommand('dev/app')).toBe(
    'keyferry import .env --bundle dev/app --server https://keyferry.example',
  )
  expect(runCommand('dev/app')).toBe('keyferry run dev/app --server https://keyferry.example -- npm run dev')
})
