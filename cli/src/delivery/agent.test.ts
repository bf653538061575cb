import { expect, test } from 'vitest'
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
