import { test } from 'vitest'
import { expectWords, handedTo, of, onPage, refusal, type State, wordsOf } from '../../test/static-words.ts'
import { MessageLog } from './message-log.tsx'
import { WebhookFields } from './webhook-fields.tsx'
import { WebhookList } from './webhook-list.tsx'
import { WebhookPage } from './webhook-page.tsx'

onPage()

const WEBHOOK = {
  id: 'w1',
  url: 'https://hooks.example/a',
  description: '',
  events: [],
  bundle_ids: [],
  is_active: true,
  created_at: '2026-05-01T12:00:00.000Z',
  old_secret_until: null,
  failing_since: null,
  failures: 0,
  next_at: null,
  ended_reason: null,
  last_delivered_at: '2026-06-01T11:59:00.000Z',
  waiting: 0,
}
const CHOSEN = {
  ...WEBHOOK,
  description: 'the shop',
  events: ['key.changed', 'key.deleted'],
  bundle_ids: ['b1', 'b2'],
  old_secret_until: '2026-06-02T12:00:00.000Z',
  last_delivered_at: null,
  waiting: 2,
}
const FAILING = {
  ...WEBHOOK,
  failing_since: '2026-06-01T11:00:00.000Z',
  failures: 1,
  next_at: '2026-06-01T12:30:00.000Z',
  waiting: 1,
}
const BUNDLES = [
  { id: 'b1', name: 'dev/app', description: '' },
  { id: 'b3', name: 'prod/app', description: 'the shop' },
]
const LIST = { limit: 1_000 }
const MESSAGES = { webhook_id: 'w1', limit: 20 }
const OWNER = ['getMe', {}, { may: ['getWebhook'] }] as const

const page = (webhook: object, state: State = {}) =>
  wordsOf(of(WebhookPage, { id: 'w1' }), {
    ...state,
    answered: [
      OWNER,
      ['getWebhook', { webhook_id: 'w1' }, webhook],
      ['listWebhookMessages', MESSAGES, []],
      ['listBundles', {}, BUNDLES],
      ['getBundle', { bundle_id: 'b1' }, BUNDLES[0]],
      ...(state.answered ?? []),
    ],
  })
const opened = (what: string, state: State = {}, webhook: object = WEBHOOK) =>
  page(webhook, { ...state, acts: { ...state.acts, WebhookHeading: [['onOpen', undefined, what]] } })
const acting = (label: string, made: unknown, webhook: object = WEBHOOK) =>
  page(webhook, {
    acts: { WebhookActions: [['onClick', label]] },
    changes: { WebhookActions: [{ made }, { made }] },
  })
const list = (webhooks: readonly object[], state: State = {}) =>
  wordsOf(of(WebhookList), {
    answered: [
      ['listWebhooks', LIST, webhooks],
      ['listBundles', {}, BUNDLES],
    ],
    ...state,
  })
const add = (state: State = {}) =>
  list([], { ...state, acts: { ...state.acts, WebhookList: [['onClick', 'New webhook']] } })
const refused = (code: string, details: object) =>
  refusal(400, code, 'The address is not allowed.', { ...details })

const fields = (acts: NonNullable<State['acts']>) =>
  handedTo(
    'onChange',
    [
      WebhookFields,
      { draft: { ...CHOSEN, events: ['bundle.created', 'key.changed'], bundle_ids: ['b1', 'b2'] } },
    ],
    { acts },
  )

const MESSAGE = {
  id: 'm1',
  type: 'key.changed',
  state: 'done',
  body: '{"type":"key.changed"}',
  created_at: '2026-06-01T11:00:00.000Z',
  attempts: 1,
  next_at: null,
  last_status: 204,
  last_error: null,
  last_ms: 18,
}
const log = (messages: readonly object[], state: State = {}, webhook: object = WEBHOOK) =>
  wordsOf(of(MessageLog, { webhook }), {
    answered: [
      ['listWebhookMessages', MESSAGES, messages],
      ['listWebhookMessages', { ...MESSAGES, state: 'failed' }, []],
    ],
    ...state,
  })

test('webhook pages show the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'no webhook': list([]),
    'new, closed': list([], {
      acts: {
        WebhookList: [
          ['onClick', 'New webhook'],
          ['onClose', 'NewWebhookDialog'],
        ],
      },
    }),
    'webhooks of each kind': list([WEBHOOK, CHOSEN, FAILING, { ...WEBHOOK, is_active: false }]),
    new: add(),
    'new, without an address': add({ acts: { WebhookForm: [['input']] } }),
    'new, with an address': add({
      acts: {
        NewWebhookDialog: [['onDraft', undefined, { url: 'https://a.example' }]],
        DialogForm: [['onSubmit']],
      },
      changes: { NewWebhookDialog: [{ made: { id: 'w2', secret: 's3cret' } }] },
    }),
    'new, with an event and a bundle': add({
      acts: {
        NewWebhookDialog: [['onDraft', undefined, { events: ['key.changed'], bundle_ids: ['b1'] }]],
      },
    }),
    'a new webhook': add({
      acts: { NewWebhookDialog: [['onDone', undefined, { id: 'w2', secret: 's3cret' }]] },
    }),
    'a new webhook is stored': add({
      acts: {
        NewWebhookDialog: [['onDone', undefined, { id: 'w2', secret: 's3cret' }]],
        ShownOnce: [['onClick', 'I have stored it']],
      },
    }),
    'new, refused for its address': add({
      changes: { NewWebhookDialog: [{ is: refused('target_refused', {}) }] },
    }),
    'new, refused for the field of its address': add({
      changes: { NewWebhookDialog: [{ is: refused('invalid', { field: 'url' }) }] },
    }),
    'new, refused': add({ changes: { NewWebhookDialog: [{ is: refused('invalid', {}) }] } }),
    'a member': wordsOf(of(WebhookPage, { id: 'w1' }), { answered: [['getMe', {}, { may: [] }]] }),
    'no such webhook': page(refusal(404, 'not_found', 'webhook not found')),
    'a webhook': page(WEBHOOK),
    'a webhook with choices': page(CHOSEN),
    'a webhook that fails': page(FAILING),
    'a webhook that is disabled': page({ ...WEBHOOK, is_active: false }),
    'a webhook whose receiver is gone': page({ ...WEBHOOK, is_active: false, ended_reason: 'gone' }),
    'edit it': opened('edit', {}, CHOSEN),
    'an event and a bundle are removed': [
      fields({ EventChoice: [['onChange', 'Checkbox']] }),
      fields({ ChosenBundles: [['onClick']] }),
    ].join('\n'),
    'edit it, with one event and one bundle removed': opened(
      'edit',
      {
        acts: {
          EditWebhookDialog: [
            ['onDraft', undefined, { events: ['key.deleted'] }],
            ['onDraft', undefined, { bundle_ids: ['b2'] }],
          ],
          DialogForm: [['onSubmit']],
        },
      },
      CHOSEN,
    ),
    'edit it, save': opened('edit', {
      acts: {
        WebhookForm: [['onChange', undefined, { url: ' https://b.example ' }]],
        DialogForm: [['onSubmit']],
      },
      changes: { EditWebhookDialog: [{ made: WEBHOOK }] },
    }),
    'edit it, save a change': opened('edit', {
      acts: {
        EditWebhookDialog: [['onDraft', undefined, { description: 'mails' }]],
        DialogForm: [['onSubmit']],
      },
      changes: { EditWebhookDialog: [{ made: WEBHOOK }] },
    }),
    'a new secret': opened('rotate', { acts: { ConfirmDialog: [['onClick', 'Create the new secret']] } }),
    'a new secret was made': opened('rotate', {
      acts: { RotateSecretDialog: [['onDone', undefined, { secret: 'n3w' }]] },
    }),
    'delete it': opened('delete', {
      acts: { ConfirmDialog: [['onClick', 'Delete webhook']] },
      changes: { DeleteWebhookDialog: [{ made: {} }] },
    }),
    'delete it, refused': opened('delete', {
      changes: { DeleteWebhookDialog: [{ is: refusal(403, 'forbidden', 'Forbidden') }] },
    }),
    'send a test': acting('Send test', {}),
    'send a test, refused': acting('Send test', refusal(429, 'too_many', 'Too many')),
    'disable it': acting('Disable', {}),
    'enable it': acting('Enable', refusal(403, 'forbidden', 'Forbidden'), { ...WEBHOOK, is_active: false }),
    'no messages': log([]),
    'no failed messages': log([], { acts: { MessageLog: [['onChange', 'Show', 'failed']] } }),
    'send all failed messages again': log([], {
      acts: {
        MessageLog: [
          ['onChange', 'Show', 'failed'],
          ['onChange', 'Show', 'all'],
        ],
      },
    }),
    messages: log([
      MESSAGE,
      {
        ...MESSAGE,
        id: 'm2',
        state: 'waiting',
        attempts: 0,
        next_at: '2026-06-01T12:05:00.000Z',
        body: 'text',
      },
      { ...MESSAGE, id: 'm3', state: 'waiting', attempts: 1 },
      { ...MESSAGE, id: 'm4', state: 'sending', next_at: '2026-06-01T12:05:00.000Z' },
      { ...MESSAGE, id: 'm5', state: 'failed', last_status: 500, last_error: 'http', attempts: 2 },
    ]),
    'messages of a disabled webhook': log([MESSAGE], {}, { ...WEBHOOK, is_active: false }),
    'send a message again': log([MESSAGE], {
      acts: { Resend: [['onClick']] },
      changes: { Resend: [{ made: {} }] },
    }),
    'send a message again, refused': log([MESSAGE], {
      acts: { Resend: [['onClick']] },
      changes: { Resend: [{ made: refusal(409, 'conflict', 'it is on its way') }] },
    }),
  })
})
