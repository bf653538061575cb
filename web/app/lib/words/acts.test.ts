import { join } from 'node:path'
import { apiEndpoints, type Endpoint } from '@keyferry/contract'
import { expect, test } from 'vitest'
import { actText, waitingText } from './acts.ts'

const CONCERNS = {
  bundles: [{ name: 'prod/app' }],
  keys: [{ name: 'URL' }],
  machines: [{ name: 'ci' }],
  people: [{ name: 'kim' }],
  groups: [{ name: 'sre' }],
}

function sentence(act: string, input: object = {}): string {
  const isNew = act === 'createInvitation' && !('replaces' in input)
  const concerns = isNew ? { ...CONCERNS, people: [] } : CONCERNS
  const statement = JSON.stringify({ act, concerns })
  return actText(act, { statement, token: '', challenge: '', rp_id: '', keys: [] }, input)
}

test.each([
  ['createInvitation', { email: 'a@b.c', role: 'member' }, 'a@b.c can join as member, in the groups: sre.'],
  [
    'createInvitation',
    { email: 'a@b.c', replaces: 'id' },
    'a@b.c takes over the membership of kim, with its role.',
  ],
  ['changeMemberRole', { role: 'owner' }, 'kim becomes owner.'],
  ['createGroup', { name: 'ops', adds: '' }, 'The group ops can see nothing more. In it: kim.'],
  ['attachKey', {}, 'prod/app delivers URL.'],
  [
    'allowMachineAttempt',
    { issuer: 'https://ci.example.com', claims: { repository: 'acme/shop', environment: 'prod' } },
    'ID tokens of https://ci.example.com with repository acme/shop, environment prod prove machine ci.',
  ],
  [
    'createMachineTrust',
    { issuer: 'https://ci.example.com', claims: { ref: ['main', 'v1'] } },
    'ID tokens of https://ci.example.com with ref main or v1 prove machine ci.',
  ],
])('%s with %j: %s', (act, input, expected) => {
  expect(sentence(act, input)).toBe(expected)
})

test.each([
  ['confirmApprovalKey', { approval_key: { name: 'kim' } }, 'A signing key of kim can sign approvals here.'],
  ['changeMemberRole', { people: [{ name: 'kim' }] }, 'kim becomes owner.'],
  ['createInvitation', { groups: [{ name: 'sre' }] }, '… can join as …, in the groups: sre.'],
  [
    'attachKey',
    { bundles: [{ name: 'prod/app' }], keys: [{ name: 'URL' }], gains: ['machine ci gets URL'] },
    'prod/app delivers URL. After this, machine ci gets URL. It waits for another owner or a day.',
  ],
])('%s that waits, about %j: %s', (act, concerns, expected) => {
  expect(waitingText({ act, concerns })).toBe(expected)
})

test('each signed act has the recorded sentences', async () => {
  const acts = Object.keys(apiEndpoints).filter((act) => !sentence(act).startsWith('The server does'))
  const sent = {
    name: 'ops',
    role: 'owner',
    email: 'a@b.c',
    adds: ['dev/'],
    action: 'delete',
    issuer: 'https://ci.example',
  }
  const empty = JSON.stringify({ concerns: {} })
  const lines = acts.map((act) => {
    const about = actText(act, { statement: empty, token: '', challenge: '', rp_id: '', keys: [] }, {})
    return `${act}\n${sentence(act, sent)}\n${about}\n`
  })
  expect(acts.length).toBeGreaterThan(30)
  await expect(lines.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'acts.txt'))
})

test('each act that can wait has words', () => {
  const rows: [string, Endpoint][] = Object.entries(apiEndpoints)
  const waiting = rows.flatMap(([name, { touch }]) =>
    typeof touch === 'object' && 'lasts' in touch && touch.lasts !== 'never' ? [name] : [],
  )
  expect(waiting.length).toBeGreaterThan(20)
  for (const act of waiting) expect(waitingText({ act, concerns: {} })).not.toContain(act)
})
