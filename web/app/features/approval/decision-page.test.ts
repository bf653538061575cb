import { expect, test } from 'vitest'
import { of, onPage, wordsOf } from '../../test/static-words.ts'
import { DecisionPage } from './decision-page.tsx'

onPage('https://keyferry.example/approve/r1')

const CONTEXT = {
  template_keys: [],
  requester_meta: { user_agent: 'keyferry/1', ip: '10.0.0.1', requested_at: '2026-06-01T11:59:00.000Z' },
  user_code: 'WDJB-MJHT',
  expires_at: '2026-06-01T12:05:00.000Z',
  suggested_bundle_id: 'dev/app',
  workspace: null,
  argv: ['npm', 'start'],
  release: ['loopback', 'code'],
}
const WORKSPACE = { id: 'w1', name: 'Acme' }
const CANDIDATE = { workspace: WORKSPACE, bundle: { id: 'b1', name: 'dev/app' } }

test.each([
  ['values', { kind: 'delivery' }],
  ['names', { kind: 'names' }],
  ['a deposit', { kind: 'deposit', deposit: { entries: [{ name: 'PORT' }], detach: [] } }],
])('nothing of a request for %s is shown, and no button, until all of it is there', (_, context) => {
  const request = {
    context: { ...CONTEXT, ...context },
    candidates: [CANDIDATE],
    person: { account: 'kim', signsIn: true, workspaces: [WORKSPACE] },
  }
  const asking = { requestId: 'r1', request, openedByLink: false, wayBack: null, onEnd: () => undefined }
  expect(wordsOf(of(DecisionPage, asking))).toBe('Loading the request…')
})
