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
import { OwnAccount } from './own-account.tsx'
import { SetUpPage } from './set-up-page.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { SignUpPage } from './sign-up-page.tsx'

onPage()

const BEFORE = '2026-05-01T12:00:00.000Z'
const wrong = refusal(401, 'unauthorized', 'Unauthorized')
const HERE = { passkey_origin: 'https://keyferry.example' }
const PASSKEY = { id: 'p1', name: 'Phone', created_at: BEFORE, last_used_at: null }
const USED = { ...PASSKEY, id: 'p2', name: 'Mac', last_used_at: BEFORE }
const LONG = 'a long password'

const answers = (
  passkeys: readonly object[],
  after_password: boolean,
  session: object,
): readonly Answered[] => [
  ['getMe', {}, { user_id: 'u1', email: 'kim@example.com' }],
  ['getSession', {}, session],
  ['listPasskeys', {}, { passkeys, after_password }],
]
const own = (
  passkeys: readonly object[] = [PASSKEY, USED],
  after = false,
  state: State = {},
  session: object = HERE,
) => wordsOf(of(OwnAccount), { ...state, answered: answers(passkeys, after, session) })
const signIn = (state: State = {}, session: object = {}) =>
  wordsOf(of(SignInPage), { ...state, answered: [['getSession', {}, session]] })
const setUp = (state: State = {}) => wordsOf(of(SetUpPage), state)
const OFFER = {
  tenant: { name: 'Shop' },
  invited_by: { username: 'lee', email: null },
  role: 'member',
  email: 'kim@example.com',
}
const signUp = (state: State = {}, offer: object | null = OFFER) =>
  wordsOf(of(SignUpPage), {
    at: '/sign-up?return_to=%2Finvite%2Ftoken',
    ...state,
    answered: offer === null ? [] : [['previewInvitation', { token: 'token' }, offer]],
  })
const opened = { AccountChange: [['onClick', 'Change']] } as const
const password = (text: string) => ({
  ChangePassword: [
    ['onChange', 'Current password', 'old'],
    ['onChange', 'New password', text],
    ['onSubmit', undefined, () => undefined],
  ] as const,
})

test('account pages show the recorded text', async () => {
  Object.assign(window, { PublicKeyCredential: true })
  await expectWords(import.meta.filename, {
    'an account': own(),
    'the dialogs of an account are closed': own([PASSKEY, USED], false, {
      acts: {
        Passkeys: [
          ['onClick', 'Add a passkey'],
          ['onClose', 'AddPasskeyDialog'],
        ],
        SecondFactor: [['onChange'], ['onClose', 'SecondFactorDialog']],
      },
    }),
    'an account without passkeys': own([]),
    'an account without an e-mail': wordsOf(of(OwnAccount), {
      answered: [...answers([], false, HERE), ['getMe', {}, { user_id: 'u1', email: null }]],
      acts: { AccountChange: [['onClick', 'Change e-mail']] },
    }),
    'an account where passkeys do not work': own([PASSKEY], false, {}, {}),
    'an account that must not be locked out': own([PASSKEY], true, {}, {}),
    'add a passkey': own([], false, {
      acts: {
        Passkeys: [['onClick', 'Add a passkey']],
        AddPasskeyDialog: [
          ['onChange', 'Name', 'Phone'],
          ['onChange', 'Current password', 'old'],
        ],
        DialogForm: [['onSubmit']],
      },
      changes: { AddPasskeyDialog: [{ made: PASSKEY }] },
    }),
    'rename a passkey': own([PASSKEY], false, {
      acts: {
        PasskeyRow: [['onClick', 'Rename Phone']],
        RenamePasskeyDialog: [['onChange', 'Name', 'Tablet']],
        DialogForm: [['onSubmit']],
      },
      changes: { RenamePasskeyDialog: [{ made: {} }] },
    }),
    'remove a passkey': own([PASSKEY, USED], true, { acts: { PasskeyRow: [['onClick', 'Remove Phone']] } }),
    'remove the last passkey': own([PASSKEY], true, {
      acts: {
        PasskeyRow: [['onClick', 'Remove Phone']],
        PasswordDialog: [['onChange', 'Current password', 'old']],
        DialogForm: [['onSubmit']],
      },
      changes: { RemovePasskeyDialog: [{ made: {} }] },
    }),
    'ask for a passkey': own([PASSKEY], false, { acts: { SecondFactor: [['onChange']] } }),
    'ask for no passkey': own([PASSKEY], true, { acts: { SecondFactor: [['onChange']] } }),
    'change the password': own([], false, { acts: opened }),
    'a short password': own([], false, { acts: { ...opened, ...password('short') } }),
    'another password': own([], false, {
      acts: { ...opened, ...password(LONG) },
      changes: { ChangePassword: [{ made: { remembered_ended: 0 } }] },
    }),
    'another password, and its form closes': own([], false, {
      acts: {
        ChangePassword: password(LONG).ChangePassword.slice(0, 2),
        AccountChange: [
          ['onClick', 'Change'],
          ['onSubmit', 'Form'],
        ],
      },
      changes: { ChangePassword: [{ made: { remembered_ended: 0 } }] },
    }),
    'another password, and an approval ended': own([], false, {
      acts: password(LONG),
      changes: { ChangePassword: [{ made: { remembered_ended: 1 } }] },
    }),
    'another password, refused': own([], false, {
      acts: opened,
      changes: { ChangePassword: [{ is: FORBIDDEN }] },
    }),
    'another address': own([], false, {
      acts: {
        ChangeEmail: [
          ['onChange', 'New e-mail', 'lee@example.com'],
          ['onChange', 'PasswordField', 'old'],
          ['onSubmit', undefined, () => undefined],
        ],
      },
      changes: { ChangeEmail: [{ made: {} }] },
    }),
    'sign in': signIn(),
    'sign in with a passkey': signIn({}, HERE),
    'sign in for a terminal': signIn({ at: '/sign-in?return_to=%2Fapprove%2Fr1' }),
    'sign in, before the session is known': wordsOf(of(SignInPage)),
    'sign in, wrong': signIn({ changes: { SignInPage: [{ is: wrong }] } }),
    'sign in, refused': signIn({ changes: { SignInPage: [{ is: FORBIDDEN }] } }),
    'sign in, sent': signIn({
      acts: {
        SignInPage: [['onChange', 'EmailField', 'kim'], ['onChange', 'PasswordField', 'old'], ['onSubmit']],
      },
    }),
    'sign in, after a reset': signIn({
      acts: {
        SignInPage: [
          ['onChange', 'EmailField', 'kim'],
          ['onChange', 'PasswordField', 'reset'],
          ['onSubmit'],
          ['onChange', 'New password', LONG],
          ['onSubmit'],
        ],
      },
      changes: { SignInPage: [{ made: refusal(403, 'password_change_required', 'Choose a password') }] },
    }),
    'sign in, done': signIn({
      acts: { SignInPage: [['onSubmit']] },
      changes: { SignInPage: [{ made: {} }] },
      at: '/sign-in?return_to=%2Fsettings',
    }),
    'sign in with a passkey, refused': signIn(
      { acts: { PasskeyButton: [['onClick']] }, changes: { PasskeyButton: [{ made: wrong }] } },
      HERE,
    ),
    'sign in with a passkey, done': signIn(
      { acts: { PasskeyButton: [['onClick']] }, changes: { PasskeyButton: [{ made: {} }] } },
      HERE,
    ),
    'sign in with a passkey, pressed': signIn({ acts: { PasskeyButton: [['onClick']] } }, HERE),
    'set up': setUp(),
    'set up, a short password': setUp({ acts: { SetUpPage: [['onSubmit']] } }),
    'set up, sent': setUp({
      acts: {
        SetUpPage: [
          ['onChange', 'Set-up code', 'code'],
          ['onChange', 'EmailField', 'kim@example.com'],
          ['onChange', 'NewPasswordField', LONG],
          ['onSubmit'],
        ],
      },
      changes: { SetUpPage: [{ made: {} }] },
    }),
    'set up, wrong code': setUp({ changes: { SetUpPage: [{ is: FORBIDDEN }] } }),
    'set up, refused': setUp({
      changes: { SetUpPage: [{ is: refusal(409, 'conflict', 'set up already') }] },
    }),
    'sign up without an invitation': signUp({ at: '/sign-up' }),
    'sign up': signUp(),
    'sign up, before the invitation is known': signUp({}, null),
    'sign up, sent': signUp({
      acts: { SignUpForm: [['onChange', 'NewPasswordField', LONG], ['onSubmit']] },
      changes: { SignUpForm: [{ made: {} }] },
    }),
    'sign up, a short password': signUp({ acts: { SignUpForm: [['onSubmit']] } }),
    'sign up, too late': signUp({ changes: { SignUpForm: [{ is: refusal(404, 'not_found', 'no') }] } }),
    'sign up, with an account': signUp({ changes: { SignUpForm: [{ is: refusal(409, 'conflict', 'no') }] } }),
    'sign up, refused': signUp({ changes: { SignUpForm: [{ is: FORBIDDEN }] } }),
  })
})
