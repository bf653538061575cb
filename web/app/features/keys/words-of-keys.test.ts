import { MASK } from '@keyferry/contract/limits'
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
import { KeyPage } from './key-page.tsx'

onPage()

const BEFORE = '2026-05-01T12:00:00.000Z'
const DEV = { id: 'b1', name: 'dev/shop', as: 'PORT', tags: '', production: 'by_name' }
const PROD = { id: 'b2', name: 'prod/shop', as: 'HTTP_PORT', tags: '', production: 'by_name' }
const KEY = {
  id: 'k1',
  name: 'PORT',
  value: '3000',
  version: 2,
  is_secret: false,
  is_template: false,
  template_parts: [],
  description: 'the port',
  expires_at: null,
  rotate_after_days: null,
  due: null,
  value_set_at: BEFORE,
  value_set_by: { id: 'u1', name: 'kim' },
  value_changed_elsewhere_at: null,
  bundles: [PROD, DEV],
  may_change: true,
  may_show: true,
}
const VERSION = {
  version: 2,
  current: true,
  value: '3000',
  set_at: BEFORE,
  set_by: { id: 'u1', name: 'kim' },
  how: 'set',
  restored_from: null,
  proposed_by: null,
  changed_elsewhere_at: null,
  destroyed_at: null,
  holders: 0,
}
const OLD = { ...VERSION, version: 1, current: false, value: '80' }
const KEPT = { ...OLD, holders: 1 }
const VERSIONS = [
  VERSION,
  OLD,
  { ...OLD, version: 7, value: MASK, how: 'import', set_by: { name: null } },
  { ...OLD, version: 6, how: 'move', changed_elsewhere_at: BEFORE, value: null, destroyed_at: BEFORE },
  { ...OLD, version: 5, how: 'convert', proposed_by: { name: 'lee' } },
  { ...OLD, version: 4, how: 'restore', restored_from: 1, proposed_by: { name: null } },
  { ...OLD, version: 3 },
  { ...OLD, version: 8 },
]
const HOLDER = {
  holder: 'h1',
  kind: 'user',
  id: 'u1',
  name: 'kim',
  version: 2,
  perhaps_version: null,
  label: { hostname: 'mac', user: 'kim', program: 'npm' },
  via: 'run',
  times: 1,
  first_at: BEFORE,
  last_at: '2026-05-31T12:00:00.000Z',
  delivery_id: 'd1',
}
const HOLDERS = [
  HOLDER,
  { ...HOLDER, holder: 'h2', version: 1, times: 3, name: null, label: null, via: null },
  { ...HOLDER, holder: 'h3', kind: 'machine', name: 'ci', version: null, perhaps_version: 2, label: null },
]
const OPERATIONS = ['destroyKeyVersion', 'getDelivery', 'dismissHolder', 'listAudit', 'deleteKey']
const holders = (some: unknown) => ['listHolders', { key_id: 'k1', limit: 1_000 }, some] as const
const key = (change: object) => ['getKey', { key_id: 'k1' }, { ...KEY, ...change }] as const
const versions = (some: unknown) => ['listKeyVersions', { key_id: 'k1', limit: 1_000 }, some] as const
const MEMBER = ['getMe', {}, { may: [] }] as const
const ANSWERS: readonly Answered[] = [
  ['getMe', {}, { may: OPERATIONS }],
  key({}),
  versions(VERSIONS),
  holders([]),
  ['listBundles', {}, [DEV, PROD]],
  ['findKeyUses', { key_ids: ['k1'] }, { bundles: [{ id: 'b1', name: 'dev/shop', key_count: 1 }] }],
  [
    'compareBundles',
    { bundle_id: ['b1', 'b2'] },
    {
      rows: [
        {
          name: 'PORT',
          cells: [
            { bundle_id: 'b1', key_id: 'k1' },
            { bundle_id: 'b2', key_id: 'k1' },
          ],
        },
      ],
    },
  ],
]
const page = ({ answered = [], ...state }: State = {}, view?: string) =>
  wordsOf(of(KeyPage, { id: 'k1', view }), { ...state, answered: [...ANSWERS, ...answered] })
const details = (change: object, state: State = {}) => page({ ...state, answered: [key(change)] }, 'details')

const restoring = (version: object, current: object, state: State = {}, item: object = {}) =>
  page({
    ...state,
    answered: [key(item), ...(state.answered ?? [])],
    acts: {
      KeyVersions: [['onAsk', current, 'restore', version]],
      ...state.acts,
    },
  })

test('the page of a variable shows the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'no such variable': page({ answered: [['getKey', { key_id: 'k1' }, refusal(404, 'not_found', 'no')]] }),
    'a variable': page(),
    'delete, closed': page({ acts: { KeyHeading: [['onDelete'], ['onClose']] } }),
    'a variable, for a member': page({ answered: [MEMBER, key({ may_change: false })] }),
    'a variable in production': page({ at: '/keys/k1?bundle=b2' }),
    'a variable with another value in production, before its version is known': page({
      answered: [
        [
          'compareBundles',
          { bundle_id: ['b1', 'b2'] },
          {
            rows: [
              {
                name: 'PORT',
                cells: [
                  { bundle_id: 'b1', key_id: 'k1' },
                  { bundle_id: 'b2', key_id: 'k2' },
                ],
              },
            ],
          },
        ],
      ],
    }),
    'a variable in no bundle': page({ answered: [key({ bundles: [] })] }),
    'a secret': page({
      answered: [key({ is_secret: true, is_template: true, template_parts: ['HOST', 'USER'] }), versions([])],
    }),
    'an empty value that was moved': page({
      answered: [
        key({
          value: '',
          is_template: true,
          value_changed_elsewhere_at: BEFORE,
          value_set_by: { name: null },
        }),
        versions([VERSION]),
      ],
    }),
    'the versions do not load': page({ answered: [versions(FORBIDDEN)] }),
    'older versions': page({ acts: { KeyVersions: [['onClick', 'Show older versions of 8']] } }),
    compare: page({ acts: { VersionRow: [['onClick', 'Compare v1 with the current value']] } }),
    'the activity of a variable': page({}, 'activity'),
    'the activity of a variable, for a member': page({ answered: [MEMBER] }, 'activity'),
    change: page({}, 'change'),
    'change, for a member': page({ answered: [MEMBER, key({ may_change: false })] }, 'change'),
    'the menu of a variable': page({ acts: { Menu: [['onToggle', undefined, { newState: 'open' }]] } }),
    'the menu of a variable, for a member': page({
      answered: [MEMBER, key({ may_change: false })],
      acts: { Menu: [['onToggle', undefined, { newState: 'open' }]] },
    }),
    delete: page({ acts: { KeyHeading: [['onDelete']] } }),
    'delete a variable that no bundle uses': page({
      answered: [['findKeyUses', { key_ids: ['k1'] }, { bundles: [] }]],
      acts: { KeyHeading: [['onDelete']] },
    }),
    'delete a variable, before its uses are known': page({
      answered: [['findKeyUses', { key_ids: ['k1'] }, FORBIDDEN]],
      acts: { KeyHeading: [['onDelete']] },
    }),
    'delete a variable of production': page({
      answered: [
        ['findKeyUses', { key_ids: ['k1'] }, { bundles: [{ id: 'b2', name: 'prod/shop', key_count: 2 }] }],
      ],
      acts: { KeyHeading: [['onDelete']] },
    }),
    'holders do not load': page({ answered: [holders(FORBIDDEN)] }),
    holders: page({ answered: [holders(HOLDERS)] }),
    'holders, for a member': page({ answered: [holders(HOLDERS), MEMBER] }),
    'a holder of an older value': page({
      answered: [holders(HOLDERS.slice(1, 2)), key({ value_set_by: { name: null } })],
    }),
    'many holders': page({
      answered: [holders(Array.from({ length: 9 }, (_, at) => ({ ...HOLDER, holder: `h${at}` })))],
    }),
    'dismiss a holder': page({
      answered: [holders([HOLDER])],
      acts: { Dismiss: [['onClick']] },
      changes: { Dismiss: [{ made: {} }] },
    }),
    'dismiss a holder, refused': page({
      answered: [holders([{ ...HOLDER, label: null }])],
      acts: { Dismiss: [['onClick']] },
      changes: { Dismiss: [{ made: FORBIDDEN }] },
    }),
    ...versionDialogs(),
    details: details({}),
    'details, not shown to all after all': details(
      { is_secret: true },
      { acts: { DetailsForm: [['onChange', 'SecretChoice', false], ['onSubmit'], ['onClose']] } },
    ),
    'details of a secret that nobody sees': details({ is_secret: true, may_show: false }),
    'details, saved': details(
      {},
      {
        acts: { DetailsForm: [['onChange', 'Description', 'a port'], ['onSubmit']] },
        changes: { DetailsForm: [{ made: KEY }] },
      },
    ),
    'details, nothing changed': details({}, { acts: { DetailsForm: [['onSubmit']] } }),
    'details, shown to all': details(
      { is_secret: true },
      { acts: { DetailsForm: [['onChange', 'SecretChoice', false], ['onSubmit']] } },
    ),
    'details, shown to all in one bundle': details(
      { is_secret: true, bundles: [DEV] },
      { acts: { DetailsForm: [['onChange', 'SecretChoice', false], ['onSubmit'], ['onConfirm']] } },
    ),
    'details, shown to all, overtaken': details(
      { is_secret: true },
      {
        acts: { DetailsForm: [['onChange', 'SecretChoice', false], ['onSubmit'], ['onConfirm']] },
        changes: { DetailsForm: [{ made: refusal(409, 'changed', 'changed', { fields: ['is_secret'] }) }] },
      },
    ),
    'details, refused': details({}, { changes: { DetailsForm: [{ is: FORBIDDEN }] } }),
    'details, with a wrong number of days': details(
      {},
      { acts: { DetailsForm: [['onChange', 'LifetimeFields', { rotate_after_days: 0 }], ['onSubmit']] } },
    ),
  })
})

function versionDialogs() {
  const made = { changes: { DestroyDialog: [{ made: {} }] } } as const
  return {
    'destroy a version': page({
      ...made,
      acts: {
        KeyVersions: [['onAsk', OLD, 'destroy', OLD]],
        ConfirmDialog: [['onClick', 'Destroy version 1']],
      },
    }),
    'restore a version': restoring(OLD, OLD, {
      acts: { ConfirmDialog: [['onClick', 'Restore version 1']] },
      changes: { RestoreDialog: [{ made: { ...KEY, version: 3 } }] },
    }),
    'restore a version that was secret': restoring({ ...OLD, value: MASK }, OLD, {}, { bundles: [DEV] }),
    'restore a version in no bundle': restoring(OLD, OLD, {}, { bundles: [] }),
    'restore a version that one person keeps': restoring(KEPT, KEPT, {
      answered: [versions([VERSION, KEPT])],
    }),
    'restore a version that is the same': restoring(OLD, OLD, {
      acts: { ConfirmDialog: [['onClick', 'Restore version 1']] },
      changes: { RestoreDialog: [{ made: { ...KEY, version: 2 } }] },
    }),
  }
}
