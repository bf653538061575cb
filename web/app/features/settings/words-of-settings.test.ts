import { OWN_MAILS } from '@keyferry/contract/mail/kinds'
import { test } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  of,
  onPage,
  type State,
  wordsOf,
} from '../../test/static-words.ts'
import { AccountSection } from '../mail/module.tsx'
import { SettingsPage } from './settings-page.tsx'

onPage()

const BEFORE = '2026-05-01T12:00:00.000Z'
const ME = {
  user_id: 'u1',
  username: 'kim',
  email: 'kim@example.com',
  email_verified: true,
  auth_mode: 'accounts',
  tenant: { id: 'w1', name: 'Acme' },
  role: 'owner',
  may: ['renameTenant'],
}
const SESSION = {
  id: 's1',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  current: true,
  last_seen_at: BEFORE,
}
const KEY = {
  id: 'a1',
  user_id: 'u1',
  username: 'kim',
  name: 'YubiKey',
  state: 'active',
  works_here: true,
  synced: false,
  created_at: BEFORE,
  last_used_at: null,
  fingerprint: null,
  counts_from: null,
  confirmed_by: null,
  ends_at: null,
}
const GRANT = {
  id: 'g1',
  bundle: { id: 'b1', name: 'dev/shop' },
  person: { id: 'u1', name: 'kim' },
  label: { hostname: 'mac', user: 'kim', program: 'npm' },
  argv: ['npm', 'start'],
  cwd: '/shop',
  agent: null,
  task: null,
  keys: ['PORT'],
  uses: 1,
  uses_left: 5,
  expires_at: '2026-06-02T12:00:00.000Z',
  last_used_at: null,
  created_at: BEFORE,
}
const HERE = { origin: 'https://keyferry.example' }
const ANSWERS: readonly Answered[] = [
  ['getMe', {}, ME],
  ['getSession', {}, { auth_mode: 'accounts' }],
  [
    'listSessions',
    {},
    [
      SESSION,
      { ...SESSION, id: 's2', current: false, user_agent: '' },
      { ...SESSION, id: 's3', current: false, user_agent: 'curl/8' },
    ],
  ],
  ['listApprovalKeys', {}, { keys: [], address: HERE }],
  ['listGrants', { limit: 1_000 }, []],
  ['listGrants', { limit: 1_000, known: '1' }, []],
  ['getOwnMails', {}, { sent: false, off: [] }],
]
const account = ({ answered = [], ...state }: State = {}) =>
  wordsOf(of(SettingsPage, { part: 'account' }), { ...state, answered: [...ANSWERS, ...answered] })
const workspace = (may: readonly string[], state: State = {}) =>
  wordsOf(of(SettingsPage, { part: 'workspace' }), { ...state, answered: [['getMe', {}, { ...ME, may }]] })
const keys = (some: readonly object[], address: object | null = HERE, state: State = {}) =>
  account({ ...state, answered: [['listApprovalKeys', {}, { keys: some, address }]] })
const mails = (off: readonly string[], state: State = {}, sent = true) =>
  wordsOf(of(AccountSection), { ...state, answered: [['getOwnMails', {}, { sent, off }]] })
const known = (...labels: readonly object[]) =>
  ['listGrants', { limit: 1_000, known: '1' }, labels.map((label, id) => ({ ...GRANT, id, label }))] as const
const proving = (state: State = {}) => mails([], { ...state, at: '/settings?proof=abc' })

test('settings pages show the recorded text', async () => {
  Object.assign(window, { PublicKeyCredential: true })
  await expectWords(import.meta.filename, {
    account: account(),
    'an account without a proved address': account({
      answered: [['getMe', {}, { ...ME, email_verified: false, role: 'member' }]],
    }),
    'before the account is known': account({ answered: [['getMe', {}, FORBIDDEN]] }),
    'a local account': account({
      answered: [
        ['getMe', {}, { ...ME, auth_mode: 'local', email_verified: false }],
        ['getSession', {}, { auth_mode: 'local' }],
        known(GRANT.label),
      ],
    }),
    'remembered approvals': account({
      answered: [
        ['listGrants', { limit: 1_000 }, [GRANT, { ...GRANT, id: 'g2', person: { id: 'u2', name: 'lee' } }]],
      ],
    }),
    'revoke a remembered approval': account({
      acts: { OwnGrants: [['onClick']] },
      changes: { OwnGrants: [{ made: { ended: 1 } }] },
    }),
    'revoke two remembered approvals': account({
      acts: { OwnGrants: [['onClick']] },
      changes: { OwnGrants: [{ made: { ended: 2 } }] },
    }),
    'revoke, refused': account({ changes: { OwnGrants: [{ is: FORBIDDEN }] } }),
    'known terminals': account({
      answered: [known(GRANT.label, GRANT.label, { ...GRANT.label, hostname: 'ci' })],
    }),
    'forget a terminal': account({
      answered: [known(GRANT.label)],
      acts: { KnownTerminal: [['onClick']] },
      changes: { KnownTerminal: [{ made: FORBIDDEN }] },
    }),
    'end a session': account({
      acts: { SessionRow: [['onClick']] },
      changes: { SessionRow: [{ made: FORBIDDEN }] },
    }),
    'sign out': account({ acts: { Sessions: [['onClick', 'Sign out']] } }),
    'sign out everywhere': account({ acts: { Sessions: [['onClick', 'Sign out everywhere']] } }),
    'sign out, refused': account({ changes: { Sessions: [{ is: FORBIDDEN }] } }),
    'signing keys': keys([KEY, { ...KEY, id: 'a2', user_id: 'u2' }]),
    'a key that waits, and one on all devices': keys([
      { ...KEY, state: 'pending', synced: true, fingerprint: 'ABCD' },
    ]),
    'signing keys elsewhere': keys([], { origin: 'https://other.example' }),
    'signing keys nowhere': keys([], null),
    'add a key': keys([], HERE, {
      acts: { ApprovalKeys: [['onClick', 'Add a signing key']], DialogForm: [['onSubmit']] },
      changes: { AddKeyDialog: [{ made: { name: 'Phone' } }] },
    }),
    'add no key after all': keys([], HERE, {
      acts: {
        ApprovalKeys: [
          ['onClick', 'Add a signing key'],
          ['onClose', 'AddKeyDialog'],
        ],
      },
    }),
    'the workspace, for an owner': workspace(['renameTenant']),
    'the workspace, for a member': workspace([]),
    'rename it': workspace(['renameTenant'], {
      acts: { WorkspaceNameForm: [['onChange', 'Name', 'Acme 2'], ['onSubmit']] },
      changes: { RenameForm: [{ made: { name: 'Acme 2' } }] },
    }),
    'rename it, refused': workspace(['renameTenant'], { changes: { RenameForm: [{ is: FORBIDDEN }] } }),
    'rename it to the same': workspace(['renameTenant'], {
      acts: { WorkspaceNameForm: [['onChange', 'Name', 'Acme'], ['onSubmit']] },
    }),
    'no mails': mails([], {}, false),
    mails: mails([OWN_MAILS[0]]),
    'a mail on': mails([OWN_MAILS[0]], {
      acts: { AccountSection: [['onChange', 'Somebody waits for your approval', true]] },
    }),
    'a mail off': mails([], {
      acts: { AccountSection: [['onChange', 'Values expire soon in a workspace that you own', false]] },
    }),
    'mails, refused': mails([], { changes: { AccountSection: [{ is: FORBIDDEN }] } }),
    'prove an address': proving({ acts: { ProveAddress: [['onClick']] } }),
    'an address is proved': proving({ changes: { ProveAddress: [{ answer: {} }] } }),
    'prove an address, refused': proving({ changes: { ProveAddress: [{ is: FORBIDDEN }] } }),
  })
})
