import { describe, expect, test } from 'vitest'
import type { RequestBundle, RequestContext } from '../../../lib/calls/answers.ts'
import { type Companion, isSelectedFirst, whyOwnPage } from './companion.ts'

const META = { ip: '', user_agent: '', requested_at: '2026-01-31T12:00:00.000Z', format: 'sh' } as const
const CONTEXT: RequestContext = {
  cli_pubkey: '',
  suggested_bundle_id: 'dev/app',
  workspace: null,
  template_keys: ['PORT'],
  requester_meta: META,
  status: 'pending',
  user_code: 'WDJB-MJHT',
  viewer_ip: '',
  same_network: true,
  expires_at: '2026-01-31T12:05:00.000Z',
  argv: ['npm', 'run', 'dev'],
}
const ITEM = {
  key: 'PORT',
  key_name: 'PORT',
  value: '3000',
  is_secret: false,
  description: null,
  required: true,
  due: null,
}
const BUNDLE: RequestBundle = {
  id: '1',
  name: 'dev/app',
  description: '',
  items: [ITEM],
  why_not: null,
  release: ['loopback', 'code'],
}
const plain: Companion = {
  requestId: 'r',
  context: CONTEXT,
  workspaceId: 'w',
  bundle: BUNDLE,
  keys: ['PORT'],
}

const withBundle = (changes: Partial<RequestBundle>) => ({ ...plain, bundle: { ...BUNDLE, ...changes } })
const withContext = (changes: Partial<RequestContext>) => ({ ...plain, context: { ...CONTEXT, ...changes } })

describe('a command of the same start', () => {
  test('is approved beside another, and selected first', () => {
    expect(whyOwnPage(plain, 'loopback')).toBeNull()
    expect(isSelectedFirst(plain, 'loopback')).toBe(true)
  })

  test.each<[string, Companion]>([
    ['of an agent', withContext({ requester_meta: { ...META, agent: 'codex' } })],
    ['without a clear bundle', { ...plain, bundle: null, workspaceId: null, keys: [] }],
    [
      'that the rules refuse',
      withBundle({ why_not: { code: 'owner_approves', error: 'An owner must approve' } }),
    ],
    ['of production', withBundle({ is_production: true })],
    ['of two people', withBundle({ approvals_needed: 2 })],
    ['that a person signs', withBundle({ touch: 'passkey' })],
    ['without a requested key', { ...plain, keys: [] }],
    ['with a missing key', withContext({ template_keys: ['PORT', 'HOST'] })],
    ['that returns by a code only', withBundle({ release: ['code'] })],
  ])('one %s needs its own page', (_, companion) => {
    expect(whyOwnPage(companion, 'loopback')).not.toBeNull()
    expect(isSelectedFirst(companion, 'loopback')).toBe(false)
  })

  test.each(['code', 'refused'] as const)('needs its own page where the other one is %s', (way) => {
    expect(whyOwnPage(plain, way)).not.toBeNull()
  })

  test('without a return, one whose rules demand a return needs its own page', () => {
    expect(whyOwnPage(plain, 'none')).toBeNull()
    expect(whyOwnPage(withBundle({ release_required: true }), 'none')).not.toBeNull()
  })

  test.each([[['env']], [['curl', 'https://example.com']], [null]])('%o is not selected first', (argv) => {
    expect(isSelectedFirst(withContext({ argv }), 'loopback')).toBe(false)
  })
})
