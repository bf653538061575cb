import { expect, test } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  handedTo,
  of,
  onPage,
  refusal,
  type State,
  wordsOf,
} from '../test/static-words.ts'
import { AddVariableDialog } from './add-variable/add-variable-dialog.tsx'
import { EnvironmentRow } from './add-variable/environment-row.tsx'
import { EditBundleDialog, NewBundleDialog } from './bundle-forms.tsx'
import { ValueEditor } from './cell-form/value-editor.tsx'
import { OutdatedNotice } from './loaded.tsx'
import { KeyActions } from './selection/key-actions.tsx'
import { SelectedKeys } from './selection/selected-keys.tsx'
import { StricterNotice } from './stricter-notice.tsx'
import { Tabs } from './tabs.tsx'
import { TemplateChoice } from './template-choice.tsx'
import { currentToasts, dismiss } from './toast-store.ts'

onPage()

const nothing = () => undefined
const DEV = { id: 'b1', name: 'dev/shop', tags: '', production: 'by_name', description: '', may_edit: true }
const PROD = { ...DEV, id: 'b2', name: 'prod/shop' }
const STAGING = { ...DEV, id: 'b3', name: 'staging/shop' }
const BUNDLES = [DEV, PROD, STAGING, { ...DEV, id: 'b4', name: 'dev/locked', may_edit: false }]
const OTHERS = [
  { ...DEV, id: 'b5', name: 'dev/mail' },
  { ...DEV, id: 'b6', name: 'qa/shop', may_edit: false },
]
const KEY = { id: 'k1', name: 'PORT', is_secret: true, may_change: true, may_show: true }
const OTHER = { ...KEY, id: 'k2', name: 'HOST' }
const OPERATIONS = ['deleteKey', 'splitKey']
const me = (...may: string[]): Answered => ['getMe', {}, { may }]

const actions = (keys: readonly object[], areUnused: boolean, { answered = [], ...state }: State = {}) =>
  wordsOf(of(KeyActions, { keys, areUnused, onDone: nothing }), {
    ...state,
    answered: [me(...OPERATIONS), ['listBundles', {}, BUNDLES], ...answered],
  })
const adding = (state: State = {}, keys: readonly object[] = [KEY, OTHER]) =>
  actions(keys, true, { ...state, acts: { KeyActions: [['onClick', 'Add to a bundle']], ...state.acts } })
const uses = (some: readonly object[]): Answered => [
  'findKeyUses',
  { key_ids: ['k1', 'k2'] },
  { bundles: some },
]
const deleting = (state: State = {}) =>
  actions([KEY, OTHER], false, { ...state, acts: { KeyActions: [['onClick', 'Delete']], ...state.acts } })
const selected = (chosen: readonly string[], shown: readonly string[], keys: readonly object[] = []) =>
  wordsOf(
    of(SelectedKeys, {
      selection: { chosen: new Set(chosen), tickAll: nothing, clear: nothing },
      shown,
      keys,
    }),
  )

const library = (...keys: object[]): Answered => ['listKeys', { uses: '1' }, keys]
const add = (props: object = {}, { answered = [], ...state }: State = {}) =>
  wordsOf(of(AddVariableDialog, { bundle: DEV, onClose: nothing, ...props }), {
    ...state,
    answered: [
      me(...OPERATIONS),
      ['listBundles', {}, [DEV, PROD, STAGING, ...OTHERS]],
      library(
        { ...KEY, may_change: false, bundles: [{ id: 'b2', name: 'prod/shop', as: 'PORT' }] },
        { ...OTHER, bundles: [{ id: 'b4', name: 'qa/mail', as: 'HOST' }] },
      ),
      ...answered,
    ],
  })
const ROW = {
  bundleName: 'dev/shop',
  place: { kind: 'none' },
  hasIt: false,
  isFixed: false,
  sources: ['prod/shop', 'dev/mail'],
  isSecret: true,
  problem: null,
  onChange: nothing,
}
const row = (change: object) => wordsOf(of(EnvironmentRow, { ...ROW, ...change }))

const ITEM = {
  ...KEY,
  value: '3000',
  version: 2,
  is_secret: false,
  is_template: false,
  template_parts: [],
  description: '',
  expires_at: null,
  rotate_after_days: null,
  bundles: [
    { id: 'b1', name: 'dev/shop', as: 'PORT' },
    { id: 'b2', name: 'prod/shop', as: 'PORT' },
  ],
}
const MANY = [...ITEM.bundles, ...['a', 'b', 'c'].map((id) => ({ id, name: `x${id}/shop`, as: 'PORT' }))]
const HOLDER = {
  holder: 'h1',
  kind: 'user',
  id: 'u1',
  name: 'kim',
  version: 2,
  perhaps_version: null,
  label: null,
}
const edit = (
  change: object = {},
  { answered = [], ...state }: State = {},
  bundle: object | undefined = DEV,
) =>
  wordsOf(of(ValueEditor, { keyId: 'k1', seen: { ...ITEM, ...change }, bundle, onDone: nothing }), {
    ...state,
    answered: [
      me(...OPERATIONS),
      ['listBundles', {}, BUNDLES],
      ['getKey', { key_id: 'k1' }, { ...ITEM, ...change }],
      ['listHolders', { key_id: 'k1', limit: 1_000 }, []],
      ...answered,
    ],
  })
const typed = (text: string) => ({ ValueEditor: [['onChange', 'CellForm', text] as const] })
const template = (parts: readonly string[], checked = true, bundles: readonly object[] = [DEV, PROD]) =>
  wordsOf(of(TemplateChoice, { checked, onChange: nothing, parts, bundles }), {
    answered: [
      [
        'getBundle',
        { bundle_id: 'b1' },
        { items: [{ id: 'k1', name: 'HOST', value: 'a', is_secret: false }] },
      ],
      ['getBundle', { bundle_id: 'b2' }, { items: [] }],
    ],
  })
const bundle = (name: string, state: State = {}, path = '/') =>
  wordsOf(of(NewBundleDialog, { name, onClose: nothing }), { at: path, ...state })
const editBundle = (state: State = {}) =>
  wordsOf(of(EditBundleDialog, { bundle: { ...DEV, tags: 'web' }, onClose: nothing }), state)

test('shared dialogs show the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'parts of a page': wordsOf(
      of(Tabs, {
        label: 'Settings',
        tabs: [
          { href: '/settings', name: 'Account' },
          { href: '/settings/workspace', name: 'Workspace' },
        ],
      }),
      { at: '/settings/workspace' },
    ),
    'nothing is selected': selected([], ['k1']),
    'one variable is selected': selected(['k1'], ['k1', 'k2']),
    'all variables are selected': selected(['k1', 'k2'], ['k1', 'k2']),
    'selected variables that are not shown': selected(['k1', 'k2', 'k3'], ['k1']),
    'one selected variable that is shown, beside others': selected(['k1', 'k3'], ['k1', 'k2']),
    'as many as possible at once': selected(
      Array.from({ length: 500 }, (_, at) => `k${at}`),
      [],
    ),
    actions: actions([KEY], true),
    'actions for used variables': actions([KEY], false),
    'actions for variables that nobody can see': actions([{ ...KEY, may_show: false }], true),
    'actions for a member': actions([KEY], false, { answered: [me()] }),
    'add to a bundle': adding(),
    'add one to a bundle': adding({}, [KEY]),
    'add to a bundle of production': adding({
      acts: { AddToBundle: [['onChoose', undefined, 'b2']], ConfirmDialog: [['onClick', 'Cancel']] },
      answered: [['findKeyUses', { key_ids: ['k1', 'k2'], bundle_id: 'b2' }, { stricter: ['PORT'] }]],
    }),
    'add to a bundle, sent': adding({
      acts: { AddToBundle: [['onChoose', undefined, 'b1']], KeyQuestion: [['onConfirm']] },
    }),
    'add, before the bundles are known': adding({ answered: [['listBundles', {}, FORBIDDEN]] }),
    'add, without another bundle': adding({ answered: [['listBundles', {}, BUNDLES.slice(3)]] }),
    'delete two': deleting({ answered: [uses([{ id: 'b1', name: 'dev/shop', key_count: 2 }])] }),
    'delete two, of production': deleting({
      answered: [
        uses([
          { id: 'b1', name: 'dev/shop', key_count: 1 },
          { id: 'b2', name: 'prod/shop', key_count: 2 },
        ]),
      ],
    }),
    'delete two, unused': deleting({ answered: [uses([])], acts: { KeyQuestion: [['onConfirm']] } }),
    'delete, before the uses are known': deleting(),
    'delete, refused': deleting({ answered: [uses([])], changes: { KeyQuestion: [{ is: FORBIDDEN }] } }),
    'add a variable': add(),
    'add a variable that another environment has': add({ name: 'PORT' }),
    'add a variable that another application has': add({ name: 'HOST', among: [DEV, PROD] }),
    'add a variable that the person may change in another environment': add(
      { name: 'PORT' },
      { answered: [library({ ...KEY, bundles: [{ id: 'b2', name: 'prod/shop', as: 'PORT' }] })] },
    ),
    'add a variable of another application that may not be shown': add(
      { name: 'HOST' },
      {
        answered: [
          library({ ...OTHER, may_show: false, bundles: [{ id: 'b5', name: 'dev/mail', as: 'HOST' }] }),
        ],
      },
    ),
    'add a variable without a name': add({}, { acts: { AddVariableDialog: [['input']] } }),
    'add a variable without a value': add({ name: 'NEW' }, { acts: { AddVariableDialog: [['input']] } }),
    'a value for two environments, of which one shares it': add(
      { name: 'NEW' },
      {
        acts: {
          AddVariableDialog: [
            ['setPlace', undefined, 'dev/shop', { kind: 'own', value: 'x' }],
            ['setPlace', undefined, 'staging/shop', { kind: 'same', as: 'dev/shop' }],
            ['onDone'],
          ],
        },
      },
    ),
    'a value for production': add(
      { name: 'NEW' },
      { acts: { AddVariableDialog: [['setPlace', undefined, 'prod/shop', { kind: 'own', value: 'x' }]] } },
    ),
    'an environment': row({}),
    'an environment, changed': handedTo('onChange', [EnvironmentRow, ROW], {
      acts: {
        EnvironmentRow: [
          ['onChange', 'Value in dev/shop', 'x'],
          ['onChange', 'How dev/shop gets it', 'none'],
          ['onChange', 'How dev/shop gets it', 'own'],
          ['onChange', 'How dev/shop gets it', 'as prod/shop'],
          ['onChange', 'Value in dev/shop', ''],
        ],
      },
    }),
    'an environment that gets a value': row({ place: { kind: 'own', value: 'a' } }),
    'an environment that shares one': row({ place: { kind: 'same', as: 'prod/shop' } }),
    'an environment that has it': row({ hasIt: true }),
    'an environment whose value is replaced': row({
      hasIt: true,
      place: { kind: 'own', value: '' },
      problem: 'Type it.',
    }),
    'an environment that may not change': row({ hasIt: true, isFixed: true }),
    'a value': edit(),
    'a value, typed': edit({}, { acts: typed('80') }),
    'a value, emptied': edit({}, { acts: typed('') }),
    'a secret, emptied': edit({ is_secret: true, value: '*****' }, { acts: typed('') }),
    'a value with a part': edit({}, { acts: typed(['http://$', '{HOST}'].join('')) }),
    'a value with a part that is not closed': edit(
      { is_template: true, template_parts: ['HOST'] },
      { acts: typed(['http://$', '{HOST'].join('')) },
    ),
    'a value everywhere': edit({}, { acts: { SavedIn: [['onChange', undefined, 'all']] } }),
    'a value that a member changes': edit({}, { answered: [me()] }),
    'a value of production': edit({}, { answered: [me()] }, PROD),
    'a value of one bundle': edit({ bundles: ITEM.bundles.slice(1) }, {}, PROD),
    'a value of many bundles': edit({ bundles: MANY }, { answered: [me()] }),
    'a value of many bundles, here': edit({ bundles: MANY }),
    'a value of no bundle': edit({ bundles: [] }, {}, undefined),
    'a value with one holder': edit(
      { bundles: [DEV], is_secret: true },
      { answered: [['listHolders', { key_id: 'k1', limit: 1_000 }, [HOLDER]]] },
    ),
    'a value with two holders': edit(
      { bundles: [DEV] },
      {
        answered: [
          [
            'listHolders',
            { key_id: 'k1', limit: 1_000 },
            [
              HOLDER,
              { ...HOLDER, holder: 'h2', name: 'lee' },
              { ...HOLDER, holder: 'h3', version: 1, name: 'max' },
            ],
          ],
        ],
      },
    ),
    'a value, before the bundles are known': edit({}, { answered: [['listBundles', {}, FORBIDDEN]] }),
    'a value that does not load': edit({}, { answered: [['getKey', { key_id: 'k1' }, FORBIDDEN]] }),
    'a template': template(['HOST', 'USER']),
    'a template without parts': template([]),
    'no template': template([], false),
    'a template in many bundles': template(
      ['HOST'],
      true,
      Array.from({ length: 9 }, (_, at) => ({ id: `x${at}`, name: 'a' })),
    ),
    'a new bundle': bundle('prod/new', {
      acts: { DialogForm: [['onSubmit']] },
      changes: { NewBundleDialog: [{ made: { name: 'prod/new' } }] },
    }),
    'a new bundle with a wrong name': bundle('a b', { acts: { NewBundleDialog: [['input']] } }),
    'a new bundle in a workspace': bundle('dev/new', {
      answered: [
        [
          'listTenants',
          {},
          [
            { id: 'w1', name: 'Acme' },
            { id: 'w2', name: 'Shop' },
          ],
        ],
      ],
      acts: { NewBundleDialog: [['onChange', 'Workspace', 'w2']], DialogForm: [['onSubmit']] },
      changes: { NewBundleDialog: [{ made: { name: 'dev/new' } }] },
    }),
    'edit a bundle': editBundle(),
    'edit a bundle, renamed': editBundle({
      at: '/apps/dev/shop',
      acts: {
        EditBundleDialog: [['onChange', 'BundleFields', { name: 'dev/web' }]],
        DialogForm: [['onSubmit']],
      },
      changes: { EditBundleDialog: [{ made: { name: 'dev/web' } }] },
    }),
    'edit a bundle, elsewhere': editBundle({
      acts: { EditBundleDialog: [['onChange', 'BundleFields', { tags: '' }]], DialogForm: [['onSubmit']] },
      changes: { EditBundleDialog: [{ made: { name: 'dev/shop' } }] },
    }),
    'many bundles with stricter rules': wordsOf(
      of(StricterNotice, { names: ['A', 'B', 'C', 'D', 'E', 'F'] }),
    ),
    'five bundles with stricter rules': wordsOf(of(StricterNotice, { names: ['A', 'B', 'C', 'D', 'E'] })),
    'an earlier state': wordsOf(
      of(OutdatedNotice, { query: { error: refusal(503, 'unavailable', 'no'), refetch: nothing } }),
    ),
    'a fresh state': wordsOf(of(OutdatedNotice, { query: { error: null, refetch: nothing } })),
  })
})

/** Whether the form closes when a person saves it with this change. */
const closed = (draft: object) => {
  let isClosed = false
  const onClose = () => {
    isClosed = true
  }
  wordsOf(of(EditBundleDialog, { bundle: DEV, onClose }), {
    acts: { EditBundleDialog: [['onChange', 'BundleFields', draft]], DialogForm: [['onSubmit']] },
  })
  return isClosed
}

test('a form closes without a call when nothing changed, and stays open when its name is wrong', () => {
  expect(closed({})).toBe(true)
  expect(closed({ name: 'a b' })).toBe(false)
})

const toasts = () => currentToasts().filter(({ isGone }) => isGone !== true)

test('once a value is saved in one bundle, the page names those that keep the old one', async () => {
  edit(
    {},
    {
      acts: { ValueEditor: [...typed('80').ValueEditor, ['onSave']] },
      changes: { ValueEditor: [{ made: { ...ITEM, id: 'k9', version: 1 } }] },
    },
  )
  await expect.poll(toasts).toHaveLength(1)
  const [toast] = toasts()
  dismiss(toast?.id ?? 0)
  expect(toast?.text).toBe('Saved PORT in dev/shop, v1. prod/shop keeps the old value.')
})
