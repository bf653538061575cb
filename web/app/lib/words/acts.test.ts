import { expect, test } from 'vitest'
import { actText } from './acts.ts'

const CONCERNS = {
  bundles: [{ name: 'prod/app' }],
  keys: [{ name: 'URL' }],
  machines: [{ name: 'ci' }],
  people: [{ name: 'kim' }],
  groups: [{ name: 'sre' }],
}

function sentence(act: string, input: object = {}): string {
  const statement = JSON.stringify({ act, concerns: CONCERNS })
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
