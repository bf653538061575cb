import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as stdEnv from 'std-env'
import { expect, test, vi } from 'vitest'
import { detectAgent } from './agent.ts'

test.each([
  [{ CLAUDECODE: '1' }, 'claude-code'],
  [{ CODEX_SANDBOX: 'seatbelt' }, 'codex'],
  [{ CURSOR_AGENT: '1' }, 'cursor'],
  [{ AI_AGENT: 'reviewer' }, 'reviewer'],
  [{ AI_AGENT: 'a\u001b[2Jb', CLAUDECODE: '1' }, 'a\ufffd[2Jb'],
  [{ AGENT: 'amp' }, 'amp'],
])('%j is %s', (env, agent) => {
  expect(detectAgent(env)).toBe(agent)
})

test.each([[{}], [{ CLAUDECODE: '' }], [{ AGENT: 'jenkins-4' }], [{ CURSOR_TRACE_ID: '1' }]])(
  '%j is a person',
  (env) => {
    expect(detectAgent(env)).toBeNull()
  },
)

// A person's own shell has them: in Replit, and where they chose a model for Goose.
const OF_PERSONS = ['REPL_ID', 'GOOSE_PROVIDER']

test('every variable by which the package std-env knows an agent is one of ours', () => {
  const source = readFileSync(fileURLToPath(import.meta.resolve('std-env')), 'utf8')
  const names = [...new Set([...source.matchAll(/"([A-Z][A-Z_]+)"/g)].map(([, name = '']) => name))]
  for (const name of [...names, 'AI_AGENT']) vi.stubEnv(name, undefined)
  const known = names.filter((name) => {
    vi.stubEnv(name, '1')
    const { name: agent } = stdEnv.detectAgent()
    vi.stubEnv(name, undefined)
    return agent !== undefined
  })
  vi.unstubAllEnvs()
  expect(known).toEqual(expect.arrayContaining(['CLAUDECODE', ...OF_PERSONS]))
  expect(known.filter((name) => detectAgent({ [name]: '1' }) === null)).toEqual(OF_PERSONS)
})
