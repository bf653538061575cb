import { expect, test } from 'vitest'
import { commandRisk } from './command-risk.ts'

test.each([
  [['env'], 'prints every value'],
  [['/usr/bin/printenv', 'TOKEN'], 'prints every value'],
  [['env', '-0'], 'prints every value'],
  [['bash'], 'opens a shell'],
  [['/bin/sh', '-c', 'make'], 'runs a script'],
  [['env', '-i', 'A=b', 'bash', '-c', 'x'], 'runs a script'],
  [['node', '-e', 'fetch(x)'], 'runs the text'],
  [['node', '--eval', 'x'], 'runs the text'],
  [['python3.12', '-c', 'x'], 'runs the text'],
  [['curl', 'https://example.com'], 'another computer'],
  [['sudo', '-E', 'curl', 'x'], 'another computer'],
  [['timeout', '10s', 'bash'], 'opens a shell'],
  [['C:\\Windows\\cmd.exe'], 'opens a shell'],
])('%j: %s', (argv, reason) => {
  expect(commandRisk(argv)).toContain(reason)
})

test.each([
  [['npm', 'run', 'dev']],
  [['node', 'server.js', '-e']],
  [['python3', 'manage.py', 'runserver']],
  [['env', 'PORT=1', 'npm', 'start']],
  [['./curl-mirror']],
  [[]],
])('%j is not marked', (argv) => {
  expect(commandRisk(argv)).toBeNull()
})
