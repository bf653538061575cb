import { expect, test } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  handedTo,
  of,
  onPage,
  type State,
  wordsOf,
} from '../../test/static-words.ts'
import { ApplicationPage } from './application-page.tsx'
import { CellView } from './cells/cell-view.tsx'
import { RenameEntryDialog } from './cells/entry-dialogs.tsx'
import { CopyBar } from './copy-bar.tsx'
import { CopyDialog } from './copy-dialog.tsx'
import { EnvironmentDialogs } from './environment/environment-dialogs.tsx'
import { OldItems } from './environment/old-items.tsx'

onPage()

const DEV = {
  id: 'b1',
  name: 'dev/shop',
  tags: 'web',
  description: 'the shop',
  production: 'by_name',
  may_edit: true,
  may_duplicate: true,
}
const PROD = {
  ...DEV,
  id: 'b2',
  name: 'prod/shop',
  tags: '',
  description: '',
  may_edit: false,
  may_duplicate: false,
}
const FACTS = {
  value: '*****',
  is_secret: true,
  description: '',
  version: 1,
  set_at: '2026-05-01T12:00:00.000Z',
  set_by: { kind: 'user', id: 'u1', name: 'kim' },
  expires_at: null,
  due: null,
  used_in_bundles: 1,
  required: false,
  order: 0,
  older_holders: 0,
  missing_parts: [],
  may_change: true,
  may_show: true,
  may_detach: true,
}
const full = (bundle_id: string, key_id: string, facts: object = {}, more: object = {}) => ({
  bundle_id,
  state: 'own',
  key_id,
  key_name: key_id,
  facts: { ...FACTS, ...facts },
  ...more,
})
const missing = (bundle_id: string) => ({ bundle_id, state: 'missing', key_id: null, key_name: null })
const EXPIRED = '2026-05-30T12:00:00.000Z'
const ROWS = [
  { name: 'A_USUAL', cells: [full('b1', 'a', { is_secret: false, value: '3000' }), full('b2', 'b')] },
  { name: 'B_MISSING', cells: [full('b1', 'c', { required: true }), missing('b2')] },
  {
    name: 'C_EXPIRED',
    cells: [
      full('b1', 'd', { due: 'soon', expires_at: '2026-06-03T12:00:00.000Z' }),
      full('b2', 'e', { due: 'expired', expires_at: EXPIRED, may_change: false }),
    ],
  },
  {
    name: 'D_OLDER',
    cells: [
      full('b1', 'f', { older_holders: 2, set_by: { name: null } }),
      full('b2', 'g', { used_in_bundles: 3 }),
    ],
  },
  {
    name: 'E_SHARED',
    cells: [full('b1', 'h', { used_in_bundles: 2 }), full('b2', 'h', { used_in_bundles: 2 })],
  },
  {
    name: 'F_BROKEN',
    cells: [
      full('b1', 'i', { missing_parts: ['HOST'] }, { template_parts: ['HOST'] }),
      full('b2', 'j', {}, { template_parts: [] }),
    ],
  },
]
const OPERATIONS = ['splitKey', 'listAudit', 'deleteBundle', 'deleteKey']
const HOLDER = {
  holder: 'h1',
  kind: 'user',
  id: 'u1',
  name: 'kim',
  version: 1,
  perhaps_version: null,
  label: null,
}
const rows = (some: unknown): Answered => [
  'compareBundles',
  { bundle_id: ['b1', 'b2'], facts: '1' },
  some instanceof Error ? some : { rows: some },
]
const ANSWERS: readonly Answered[] = [
  ['getMe', {}, { may: OPERATIONS }],
  ['listBundles', {}, [DEV, PROD]],
  rows(ROWS),
  ['listSharedKeys', { bundle_id: 'b1' }, [{ key_id: 'a', crosses: true }]],
  ['listSharedKeys', { bundle_id: 'b2' }, [{ key_id: 'h', crosses: true }]],
]
const page = ({ answered = [], ...state }: State = {}, name = 'dev/shop') =>
  wordsOf(of(ApplicationPage, { name }), { ...state, answered: [...ANSWERS, ...answered] })
const opened = (index: number, state: State = {}) =>
  page({
    ...state,
    answered: [
      rows(ROWS.slice(index, index + 1)),
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(
        (key_id): Answered => [
          'listHolders',
          { key_id, limit: 1_000 },
          [
            HOLDER,
            { ...HOLDER, holder: 'h2', version: 2, label: { hostname: 'mac', user: 'lee', program: '' } },
          ],
        ],
      ),
      ...(state.answered ?? []),
    ],
    acts: { Matrix: [['toggle', undefined, ROWS[index]?.name]], ...state.acts },
  })
const MEMBER: readonly Answered[] = [
  ['getMe', {}, { may: [] }],
  ['listBundles', {}, [{ ...DEV, may_edit: false }, PROD]],
]
const copyBar = (prod: object) => {
  const chosen = ROWS.slice(0, 2)
  const names = new Set(chosen.map(({ name }) => name))
  const selection = { chosen: names, tick: () => undefined, tickAll: () => undefined, clear: () => undefined }
  const environments = [
    { ...DEV, label: 'dev' },
    { ...prod, label: 'prod' },
  ]
  return wordsOf(of(CopyBar, { environments, rows: chosen, shown: ROWS, selection }))
}
const dialog = (open: string, items: readonly object[], state: State = {}, bundle: object = DEV) =>
  wordsOf(of(EnvironmentDialogs, { bundleId: 'b1', open, onClose: () => undefined }), {
    ...state,
    answered: [['getBundle', { bundle_id: 'b1' }, { ...bundle, items }]],
  })
const deleted = {
  acts: { ConfirmDialog: [['onClick', 'Delete bundle']] },
  changes: { DeleteBundleDialog: [{ made: {} }] },
} as const

const COPY = { name: 'PORT', cell: full('b1', 'x'), from: { name: 'prod/shop' }, source: full('b2', 'y') }
const STEP = {
  name: 'PORT',
  key_name: 'PORT',
  action: 'update',
  key_id: 'x',
  is_secret: true,
  shared_with: [],
  shared_total: 0,
  choices: [],
}
const copying = (
  copies: readonly (typeof COPY | object)[],
  to: { name: string } = DEV,
  state: State = {},
) => {
  const all = copies as (typeof COPY)[]
  const input = {
    bundle: to.name,
    entries: all.map(({ name, from }) => ({ name, from: from.name })),
    own: all.map(({ name }) => name),
    seen: all.flatMap(({ name, cell }) => (cell.facts ? [{ name, version: cell.facts.version }] : [])),
    dry_run: true,
  }
  return wordsOf(of(CopyDialog, { to, copies, onClose: () => undefined }), {
    ...state,
    answered: [
      ['importVariables', input, { plan_id: 'p1', plan: all.map(({ name }) => ({ ...STEP, name })) }],
      ['findKeyUses', { key_ids: all.map(() => 'y'), bundle_id: 'b1' }, { weaker: ['PORT'] }],
    ],
  })
}
const renaming = (text: string, acts: State['acts'] = {}) =>
  wordsOf(
    of(RenameEntryDialog, { bundle: DEV, item: { id: 'k1', name: 'PORT' }, onClose: () => undefined }),
    {
      acts: { RenameEntryDialog: [['onChange', 'Delivered name', text], ['input']], ...acts },
      changes: { RenameEntryDialog: [{ made: {} }] },
    },
  )
const old = (may: readonly string[], items: readonly object[], state: State = {}) =>
  wordsOf(
    of(OldItems, {
      environments: [DEV, PROD],
      rows: [{ name: 'A', cells: [{ ...full('b1', 'x'), key_id: null }, missing('b2')] }],
    }),
    {
      ...state,
      answered: [
        ['getMe', {}, { may }],
        ['getBundle', { bundle_id: 'b1' }, { items }],
      ],
    },
  )

test('of a long table, only the rows near the view and those that are edited are drawn', () => {
  const names = Array.from({ length: 300 }, (_, at) => `K${at}`)
  const text = page({
    answered: [rows(names.map((name) => ({ name, cells: [full('b1', name), full('b2', name)] })))],
    acts: { Matrix: [['edit', undefined, 'K200 b1']] },
  })
  const drawn = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  expect(drawn).toContain('K200')
  expect(drawn.length).toBeLessThan(100)
})

test('the page of an application shows the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'no such application': page({}, 'dev/none'),
    'an application': page(),
    'an application, for a member': page({ answered: MEMBER }),
    'at production': page({}, 'prod/shop'),
    'without variables': page({ answered: [rows([])] }),
    'without variables, for a member': page({ answered: [...MEMBER, rows([])] }),
    'its variables do not load': page({ answered: [rows(FORBIDDEN)] }),
    'just duplicated': page({ at: '/apps/dev/shop?new=1' }),
    'a filter': page({ at: '/apps/dev/shop?show=missing' }),
    'a search': page({ at: '/apps/dev/shop?query=usual' }),
    'a search without result': page({ at: '/apps/dev/shop?query=none' }),
    'choose a filter': page({ acts: { Variables: [['onFilter', undefined, 'missing']] } }),
    'choose all': page({ acts: { Variables: [['onFilter', undefined, 'all']] } }),
    'choose another environment': page({
      at: '/apps/dev/shop?show=all',
      acts: { EnvironmentSwitch: [['onChange', false]] },
    }),
    'its machines': page({
      at: '/apps/dev/shop?part=machines',
      answered: [['listMachines', { limit: 1_000 }, []]],
    }),
    'its activity': page({ at: '/apps/dev/shop?part=activity' }),
    ...Object.fromEntries(ROWS.map(({ name }, at) => [`the row ${name}`, opened(at)])),
    'a value is edited': page({ acts: { Matrix: [['edit', undefined, 'A_USUAL b1']] } }),
    'a missing value is edited': page({ acts: { Matrix: [['edit', undefined, 'B_MISSING b2']] } }),
    'a value is edited no more': page({
      acts: {
        Matrix: [
          ['edit', undefined, 'A_USUAL b1'],
          ['edit', undefined, null, 'A_USUAL b1'],
        ],
      },
    }),
    'press Add variable': page({ acts: { Application: [['onClick', 'Add variable']] } }),
    'add a variable': page({ at: '/apps/dev/shop?add=variable' }),
    'add no variable after all': page({
      at: '/apps/dev/shop?add=variable',
      acts: { Application: [['onClose']] },
    }),
    'two variables are chosen': copyBar(PROD),
    'two variables are chosen, where all may be changed': copyBar({ ...PROD, may_edit: true }),
    'a value that the person may not change opens its row': handedTo(
      'onOpen',
      [
        CellView,
        { row: ROWS[2], cell: ROWS[2]?.cells[1], bundle: PROD, column: 1, environments: [DEV, PROD] },
      ],
      { acts: { CellView: [['onClick', 'button', 'pressed']] } },
    ),
    'a value has the focus': page({
      acts: { Matrix: [['onFocus', undefined, { target: { dataset: { at: '1 A_USUAL' } } }]] },
    }),
    'a row, for a member': opened(1, { answered: MEMBER }),
    'its menu': page({ acts: { Menu: [['onToggle', undefined, { newState: 'open' }]] } }),
    'delete a bundle without variables': dialog('delete', [], deleted),
    'delete a bundle with one': dialog('delete', [{ order: 1 }], {}, PROD),
    'delete a bundle with old items': dialog(
      'delete',
      [{ order: 1 }, { order: 2 }, { order: null }],
      deleted,
    ),
    'delete a bundle with two old items': dialog('delete', [{ order: null }, { order: null }]),
    'edit a bundle': dialog('edit', []),
    'rename a variable': renaming('HTTP_PORT', { DialogForm: [['onSubmit']] }),
    'rename a variable to no name': renaming('a b'),
    'rename nothing': renaming('PORT', { DialogForm: [['onSubmit']] }),
    'copy a value': copying([COPY]),
    'copy a value, done': copying([COPY], DEV, {
      acts: { ConfirmDialog: [['onClick', 'Copy 1 to dev/shop']] },
      changes: { CopyDialog: [{ made: { plan: [{ ...STEP, key_id: 'z' }] } }] },
    }),
    'copy two to production': copying([COPY, { ...COPY, name: 'HOST' }], PROD),
    'copy a value that only owners see': copying([
      { ...COPY, cell: missing('b1'), source: full('b2', 'y', { may_show: false }) },
    ]),
    'copy, before it is known': wordsOf(
      of(CopyDialog, { to: DEV, copies: [COPY], onClose: () => undefined }),
    ),
    'old items': old(
      ['convertLegacyItem'],
      [
        { order: null, name: 'A' },
        { order: 1, name: 'B' },
        { order: null, name: 'C' },
      ],
    ),
    'an old item, for a member': old([], [{ order: null, name: 'A' }]),
    'old items are converted': old(['convertLegacyItem'], [{ order: null, name: 'A' }], {
      acts: { OldItemsOf: [['onClick']] },
      changes: { OldItemsOf: [{ made: [] }] },
    }),
  })
})
