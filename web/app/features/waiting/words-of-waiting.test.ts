import { test } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  of,
  onPage,
  refusal,
  type State,
  wordsOf,
} from '../../test/static-words.ts'
import { ProposalPage } from './proposal-page.tsx'

onPage()

const PROPOSAL = {
  id: 'p1',
  bundle: { id: 'b1', name: 'dev/app' },
  proposer: { id: 'u1', name: 'kim' },
  sender: { user: 'kim', hostname: 'mac', ip: '10.0.0.1' },
  state: 'open',
  created_at: '2026-06-01T11:00:00.000Z',
  expires_at: '2026-06-08T12:00:00.000Z',
}
const STEP = {
  name: 'PORT',
  key_name: 'PORT',
  action: 'create',
  key_id: null,
  is_secret: true,
  shared_with: [],
  shared_total: 0,
  choices: [],
}
const PLAN = {
  plan_id: 'pl1',
  plan: [
    STEP,
    { ...STEP, name: 'HOST', is_secret: false, new_value: 'a', choices: ['own', 'share'], action: 'share' },
  ],
  production: [],
  changes: [],
}
const list = (some: unknown) => ['listProposals', {}, some] as const
const plan = (change: object, input: object = {}) =>
  ['planProposal', { proposal_id: 'p1', marks: {}, ...input }, { ...PLAN, ...change }] as const
const ANSWERS: readonly Answered[] = [['getMe', {}, { may: ['planProposal'] }], list([PROPOSAL]), plan({})]
const page = ({ answered = [], ...state }: State = {}) =>
  wordsOf(of(ProposalPage, { id: 'p1' }), { ...state, answered: [...ANSWERS, ...answered] })
const decided = (label: string, made: unknown) =>
  page({ acts: { Decision: [['onClick', label]] }, changes: { Decision: [{ made }, { made }] } })

test('the page of a change request shows the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'a change request, for a member': page({ answered: [['getMe', {}, { may: [] }]] }),
    'a change request that ended': page({ answered: [list([{ ...PROPOSAL, state: 'stored' }])] }),
    'another change request': page({ answered: [list([{ ...PROPOSAL, id: 'p2' }])] }),
    'a change request': page(),
    'a change request of a former member': page({
      answered: [list([{ ...PROPOSAL, proposer: { id: 'u1', name: null }, sender: null }])],
    }),
    'a change request for production': page({
      answered: [plan({ production: ['prod/app', 'prod/api'], changes: ['dev/api'] })],
    }),
    'a change request that crosses': page({ answered: [plan({ plan: [{ ...STEP, crosses: true }] })] }),
    'a change request that removes': page({ answered: [plan({ plan: [{ ...STEP, action: 'detach' }] })] }),
    'its plan does not load': page({
      answered: [['planProposal', { proposal_id: 'p1', marks: {} }, FORBIDDEN]],
    }),
    'a mark': page({ acts: { Open: [['onChange', 'HOST', true]] } }),
    'a choice': page({ acts: { Open: [['onChoose', undefined, 'HOST', 'own']] } }),
    'store it': decided('Store 2 variables', {}),
    'decline it': decided('Decline', {}),
    'store it, refused': page({ changes: { Decision: [{ is: FORBIDDEN }] } }),
    'decline it, refused': page({ changes: { Decision: [null, { is: FORBIDDEN }] } }),
    'store it, changed': page({ changes: { Decision: [{ is: refusal(409, 'plan_changed', 'changed') }] } }),
  })
})
