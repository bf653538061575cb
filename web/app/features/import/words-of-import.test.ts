import { readImport } from '@keyferry/contract/env'
import { test } from 'vitest'
import { expectWords, FORBIDDEN, of, onPage, refusal, type State, wordsOf } from '../../test/static-words.ts'
import { BringInPage } from './bring-in-page.tsx'
import { UNDECIDED } from './decisions.ts'
import { DuplicateForm } from './duplicate-form.tsx'
import { FileImport } from './file-import.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ImportSubmit } from './import-submit.tsx'
import { LibraryMoving, MovePlan } from './library-moving.tsx'

onPage()

const me = (...may: string[]) => ['getMe', {}, { may }] as const

const KEY = { name: 'PORT', key_name: 'PORT', is_secret: true }
const MOVE = {
  plan_id: 'p1',
  bundles: [
    { name: 'dev/app', action: 'create', key_count: 1 },
    { name: 'prod/app', action: 'left_out', key_count: 2 },
    { name: 'staging/app', action: 'create', key_count: 2 },
  ],
  keys: [
    { ...KEY, action: 'create', is_secret: false },
    { ...KEY, action: 'create', name: 'TOKEN', key_name: 'TOKEN' },
    { ...KEY, action: 'rename', key_name: 'PORT_2' },
    { ...KEY, action: 'share' },
    { ...KEY, action: 'left_out' },
    { ...KEY, action: 'left_out', is_secret: false },
  ],
}
const SAME = { ...MOVE, bundles: [{ name: 'dev/app', action: 'left_out', key_count: 1 }], keys: [] }
const NEW = { ...MOVE, bundles: MOVE.bundles.slice(0, 1), keys: [{ ...KEY, action: 'rename' }] }
const moving = (state: State = {}) => wordsOf(of(LibraryMoving), { answered: [me('moveLibrary')], ...state })
const plan = (move: object, busy = false) =>
  wordsOf(of(MovePlan, { plan: move, busy, onMove: () => undefined }))

test('import pages show the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'another server: not known yet': moving({ answered: [] }),
    'another server: a member': moving({ answered: [me()] }),
    'another server: refused': moving({ changes: { MoveForm: [{ is: FORBIDDEN }] } }),
    'a plan': plan(MOVE),
    'a plan on its way': plan(NEW, true),
    'a plan of nothing': plan(SAME),
    moved: moving({ acts: { LibraryMoving: [['onDone', undefined, MOVE]] } }),
    'nothing moved': moving({ acts: { LibraryMoving: [['onDone', undefined, SAME]] } }),
    ...duplicates(),
    ...files(),
    'a member brings in': wordsOf(of(BringInPage, { source: 'import' })),
    'an owner brings in': wordsOf(of(BringInPage, { source: 'duplicate' }), {
      answered: [me('moveLibrary')],
    }),
  })
})

const ITEM = { id: 'k1', name: 'PORT', is_secret: false, value: '3000' }
const BUNDLES = [
  { id: 'b1', name: 'dev/app', tags: '', production: 'by_name', may_duplicate: true },
  { id: 'b2', name: 'prod/app', tags: '', production: 'by_name', may_duplicate: false },
]

const knowing = (items: readonly object[], ...may: string[]) =>
  [
    me(...may),
    ['listBundles', {}, BUNDLES],
    ['getBundle', { bundle_id: 'b1' }, { ...BUNDLES[0], items }],
    ['findKeyUses', { key_ids: ['k1'], bundle_id: 'b1' }, { weaker: ['PORT'] }],
    ['findKeyUses', { key_ids: ['k1', 'k2'], bundle_id: 'b1' }, { weaker: ['PORT', 'TOKEN'] }],
  ] as const
const nothing = () => undefined
const key = (name: string) =>
  [
    'onKeyDown',
    undefined,
    { key: name, nativeEvent: {}, preventDefault: nothing, stopPropagation: nothing },
  ] as const
const duplicate = (at: string, state: State) => wordsOf(of(DuplicateForm), { at, ...state })

function duplicates() {
  const items = [
    ITEM,
    { ...ITEM, id: 'k2', name: 'TOKEN', is_secret: true, template_parts: ['PORT'] },
    { ...ITEM, id: null, name: 'GONE' },
  ]
  const owner = knowing(items, 'splitKey')
  const at = '/?bundle=dev/app'
  return {
    'duplicate: no bundle chosen': duplicate('/', { answered: owner }),
    'duplicate: another bundle is chosen': duplicate('/', {
      answered: owner,
      acts: { DuplicateForm: [['onChoose', undefined, 'b1']] },
    }),
    'duplicate: an arrow opens the list': duplicate('/', {
      answered: owner,
      acts: { Combobox: [key('ArrowUp')] },
    }),
    'duplicate: Enter takes a bundle of the list, and closes it': duplicate('/', {
      answered: owner,
      acts: { Combobox: [key('ArrowDown'), key('Enter')] },
    }),
    'duplicate: the list has what matches the text': duplicate('/', {
      answered: knowing(items, 'splitKey').with(1, [
        'listBundles',
        {},
        [...BUNDLES, { id: 'b3', name: 'dev/fin', tags: '', production: 'by_name', may_duplicate: true }],
      ]),
      acts: { Combobox: [['onChange', 'combobox', { currentTarget: { value: 'fin' } }]] },
    }),
    'duplicate: Escape closes the list': duplicate('/', {
      answered: owner,
      acts: { Combobox: [key('ArrowDown'), key('Escape')] },
    }),
    'duplicate: a foreign bundle': duplicate('/?bundle=prod/app', { answered: owner }),
    duplicate: duplicate(at, { answered: owner }),
    'duplicate: one value of its own': duplicate(at, {
      answered: owner,
      acts: { CopyOf: [['onChoose', 'TOKEN', 'PORT', 'own']], DialogForm: [['onSubmit']] },
    }),
    'duplicate: own values, then shared again': duplicate(at, {
      answered: owner,
      acts: {
        CopyOf: [
          ['onChoose', undefined, ['PORT', 'TOKEN'], 'own'],
          ['onChoose', 'TOKEN', 'TOKEN', 'share'],
        ],
      },
    }),
    'duplicate: all own values': duplicate(at, {
      answered: owner,
      acts: { CopyOf: [['onChoose', undefined, ['PORT', 'TOKEN'], 'own']] },
    }),
    'duplicate for production': duplicate(`${at}&as=prod/new`, { answered: owner }),
    'duplicate: a name that is not allowed': duplicate(`${at}&as=a b`, {
      answered: owner,
      acts: { CopyOf: [['input']] },
    }),
    'duplicate as a member': duplicate(`${at}&as=`, { answered: knowing(items) }),
    'duplicate without variables': duplicate(at, { answered: knowing([], 'splitKey') }),
  }
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

const planned = (steps: readonly object[], more: object = {}) => ({
  plan: { plan: steps, plan_id: 'p1', bundle_id: 'b1', stricter: [], ...more },
  request: { bundle: 'dev/app' },
  failure: null,
  isPending: false,
  again: () => undefined,
})
const preview = (text: string, planning: object, decisions: object = {}) =>
  wordsOf(
    of(ImportPreview, {
      read: readImport(text, 'dotenv'),
      planning,
      decisions: { ...UNDECIDED, ...decisions },
      onDecide: () => undefined,
    }),
    { answered: [['getBundle', { bundle_id: 'b1' }, { items: [ITEM] }]] },
  )
const file = (at: string, state: State = {}) =>
  wordsOf(of(FileImport), { at, answered: [['listBundles', {}, BUNDLES]], ...state })
const typed = (text: string) => ({ ImportForm: [['onText', undefined, text] as const] })

function files() {
  const submit = (props: object, state: State = {}) =>
    wordsOf(
      of(ImportSubmit, {
        bundleName: 'dev/app',
        planning: planned([STEP]),
        unreadable: 0,
        count: 1,
        onName: () => true,
        onDone: () => undefined,
        ...props,
      }),
      { answered: [['listBundles', {}, BUNDLES]], ...state },
    )
  const shared = { ...STEP, choices: ['own', 'share'] }
  const crossing = { ...shared, action: 'share', crosses: true }
  const replacing = (more: object) => planned([{ ...STEP, action: 'replace', ...more }])
  const failed = (details: object, status = 409) => ({
    ...planned([]),
    plan: null,
    failure: { status, code: 'invalid', message: 'No.', details },
  })
  const done = { plan: [STEP, { ...STEP, action: 'same' }], bundle_id: 'b1' }
  return {
    'a file': file('/'),
    'a file for a bundle that exists': file('/?bundle=dev/app'),
    'a file for a new bundle': file('/?bundle=dev/new', { acts: typed('PORT=3000') }),
    'a file without a bundle': file('/', { acts: typed('PORT=3000\nnothing') }),
    'a file of which one variable is left out': file('/?bundle=dev/new', {
      acts: {
        ImportForm: [
          ['onText', undefined, 'PORT=3000\nHOST=a'],
          ['onDecide', undefined, { ...UNDECIDED, skipped: new Set(['HOST']) }],
        ],
      },
    }),
    'a file that is not a name': file('/?bundle=a b', {
      acts: { ImportForm: [['onText', undefined, 'PORT=1'], ['onName']] },
    }),
    'a file was imported': file('/?bundle=dev/app', {
      acts: { FileImport: [['onDone', undefined, done]] },
    }),
    'the preview before a name': preview('PORT=3000', { ...planned([]), request: null, plan: null }),
    'the preview while it is planned': preview('PORT=3000', {
      ...planned([]),
      plan: null,
      isPending: true,
    }),
    'the preview of new variables': preview(
      'PORT=3000\nTOKEN=x8s7df6sdf87s6df\nnothing\n# note',
      planned([STEP, { ...STEP, name: 'TOKEN' }], { stricter: ['TOKEN'] }),
    ),
    'the preview of two variables that do not look secret': preview(
      'PORT=3000\nHOST=localhost',
      planned([STEP, { ...STEP, name: 'HOST' }]),
    ),
    'the preview of a value that changes': preview(
      'PORT=3001',
      planned([{ ...STEP, action: 'update', is_secret: false }]),
    ),
    'the preview of a secret value that changes': preview(
      'PORT=3001',
      planned([{ ...STEP, action: 'update' }]),
    ),
    'the preview of a mask, and of what is left out': preview(
      'PORT=*****\nHOST="a',
      planned([STEP, { ...STEP, name: 'HOST' }]),
      { skipped: new Set(['HOST']), secret: new Map([['PORT', false]]) },
    ),
    'the preview of what other bundles have': preview(
      'PORT=3000\nHOST=a',
      planned([crossing, { ...crossing, name: 'HOST' }]),
    ),
    'the preview of one that another bundle has': preview(
      'PORT=3000',
      planned([{ ...shared, action: 'own' }]),
    ),
    'the preview: one name is refused': preview('PORT=3000', failed({ names: ['PORT', 1] })),
    'the preview: two names are refused': preview('PORT=3000', failed({ names: ['PORT', 'HOST'] })),
    'the preview is refused': preview('PORT=3000', failed({}, 400)),
    'the preview failed': preview('PORT=3000', failed({}, 503)),
    'import one': submit({}, { acts: { ImportSubmit: [['onClick']] } }),
    'import two, and a line is left out': submit({ count: 2, unreadable: 1 }),
    'import one, and a line is left out': submit({ count: 1, unreadable: 1 }),
    'import none': submit({ count: 0, unreadable: 2 }),
    'import for production': submit({ bundleName: 'prod/app' }),
    'import for a new bundle of production': submit({ bundleName: 'prod/new' }),
    'import what replaces a value of production': submit({
      planning: replacing({ shared_with: ['prod/app'], shared_total: 1 }),
    }),
    'import what replaces a value of another bundle': submit({
      planning: replacing({ shared_with: ['dev/api'], shared_total: 1 }),
    }),
    'import what replaces a value of unknown bundles': submit({
      planning: replacing({ shared_with: ['dev/api'], shared_total: 2 }),
    }),
    'import what shares a value of production': submit({
      planning: planned([{ ...STEP, action: 'share', shared_with: ['prod/app'], shared_total: 1 }]),
    }),
    'import nothing new': submit({ planning: planned([{ ...STEP, action: 'same' }]) }),
    'import before the plan': submit({ planning: { ...planned([STEP]), isPending: true } }),
    'import after a plan that failed': submit({ planning: failed({}) }),
    'import with another name': submit({ onName: () => false }, { acts: { ImportSubmit: [['onClick']] } }),
    importing: submit({}, { changes: { ImportSubmit: [{ is: 'pending' }] } }),
    'import: the plan changed': submit(
      {},
      { changes: { ImportSubmit: [{ is: refusal(409, 'plan_changed', 'changed') }] } },
    ),
    'import: refused': submit({}, { changes: { ImportSubmit: [{ is: FORBIDDEN }] } }),
  }
}
