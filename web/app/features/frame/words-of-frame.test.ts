import { afterAll, beforeAll, test } from 'vitest'
import { expectWords, of, onPage, type State, whileKept, wordsOf } from '../../test/static-words.ts'
import { Frame } from './frame.tsx'
import { KeyNews } from './key-news.tsx'
import { AnotherPerson, SessionDialog, SignedOut } from './session-dialog.tsx'
import { TouchSheets } from './touch-sheet.tsx'

onPage()
// The theme of the page is stored here.
beforeAll(() => void Object.assign(globalThis, { document: { documentElement: { dataset: {} } } }))
afterAll(() => void Reflect.deleteProperty(globalThis, 'document'))

const ME = { user_id: 'u1', username: 'kim', email: 'kim@example.com', auth_mode: 'accounts', role: 'owner' }
const OWNER = { ...ME, may: ['listWebhooks', 'listMachines'] }
const MEMBER = { ...ME, role: 'member', may: [] }
const TENANTS = [
  { id: 'w1', name: 'Acme', role: 'owner' },
  { id: 'w2', name: 'Shop', role: 'member' },
]
const ITEM = { kind: 'vouch', request_id: 'r1', person: { id: 'u2', name: 'lee' } }
const frame = (at: string, me: object, state: State = {}, waiting: readonly object[] = []) =>
  wordsOf(
    of(Frame, { signedIn: true, inWorkspace: true, onPalette: () => undefined, children: 'The page' }),
    {
      ...state,
      at,
      answered: [
        ['getMe', {}, me],
        ['listTenants', {}, TENANTS],
        ['listWaiting', {}, waiting],
      ],
    },
  )
const signedOut = () =>
  wordsOf(
    of(Frame, { signedIn: false, inWorkspace: false, onPalette: () => undefined, children: 'The page' }),
  )
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...ITEM, request_id: `r${at}` }))

const KEY = { id: 'a1', state: 'active', confirmed_by: null }
const news = (me: object, keys: readonly object[], acts: readonly object[] = []) =>
  wordsOf(of(KeyNews), {
    answered: [
      ['getMe', {}, me],
      ['listApprovalKeys', {}, { keys }],
      ['listLastingActs', {}, acts],
    ],
  })

/** What is new for an owner whose browser keeps what they have seen. */
const seen = (marks: string, keys: readonly object[], acts: readonly object[] = []) =>
  whileKept('keyferry.seen-keys', marks, () => news(OWNER, keys, acts))

test('the frame of every page shows the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'signed out': signedOut(),
    'an owner at home': frame('/', OWNER),
    'more, closed': frame('/', OWNER, {
      acts: {
        BottomBar: [
          ['onClick', 'dialog'],
          ['onClose', 'Dialog'],
        ],
      },
    }),
    'more, and one of its pages': frame('/', OWNER, {
      acts: {
        BottomBar: [
          ['onClick', 'dialog'],
          ['onClick', '/settings'],
        ],
      },
    }),
    'workspaces, closed': frame('/', OWNER, { acts: { WorkspaceSwitcher: [['onClick'], ['onClose']] } }),
    'a member at home': frame('/', MEMBER),
    'at a variable': frame('/keys/k1', OWNER),
    'at an address with the same beginning': frame('/keysets', OWNER),
    'at the members': frame('/members', OWNER),
    'in settings': frame('/settings/workspace', OWNER),
    'one decision waits': frame('/', OWNER, {}, many(1)),
    'nine decisions wait': frame('/', OWNER, {}, many(9)),
    'ten decisions wait': frame('/', OWNER, {}, many(10)),
    'one decision waits, and the person who asked is muted': whileKept(
      'keyferry.muted',
      JSON.stringify({ u2: Date.now() + 1 }),
      () => frame('/', OWNER, {}, many(1)),
    ),
    'in local mode': frame('/', { ...OWNER, auth_mode: 'local' }, {}, many(1)),
    more: frame('/', OWNER, { acts: { BottomBar: [['onClick', 'dialog']] } }),
    'the menu More, for a member': frame('/', MEMBER, { acts: { BottomBar: [['onClick', 'dialog']] } }),
    workspaces: frame('/', OWNER, { acts: { WorkspaceSwitcher: [['onClick']] } }),
    'news for a member': news(MEMBER, [KEY]),
    'news in local mode': news({ ...OWNER, auth_mode: 'local' }, [KEY]),
    'no news': news(OWNER, []),
    'news of a key': news(OWNER, [KEY]),
    'news of a key that waits': news(OWNER, [{ ...KEY, state: 'pending' }]),
    'news that the owner has seen': seen('a1/ l1', [KEY], [{ id: 'l1' }]),
    'a key that waits, beside one that the owner has seen': seen('a1/', [
      KEY,
      { ...KEY, id: 'a2', state: 'pending' },
    ]),
    'news of all kinds': news(OWNER, [KEY, { ...KEY, id: 'a2', state: 'pending' }], [{ id: 'l1' }]),
    'no session was lost': wordsOf(of(SessionDialog)),
    'a session ended': wordsOf(of(SignedOut, { isTooOld: false })),
    'a sign-in is too old': wordsOf(of(SignedOut, { isTooOld: true })),
    'another person signed in': wordsOf(of(AnotherPerson, { name: 'lee' }), {
      answered: [['getMe', {}, ME]],
    }),
    'another person signed in, without an address': wordsOf(of(AnotherPerson, { name: 'lee' }), {
      answered: [['getMe', {}, { ...ME, email: '' }]],
    }),
    'nothing is signed': wordsOf(of(TouchSheets)),
  })
})
