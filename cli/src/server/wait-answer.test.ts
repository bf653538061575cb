import { expect, test } from 'vitest'
import { answered } from '../../test/stage.ts'
import { EXIT } from '../base/cli-error.ts'
import { readWaitAnswer } from './wait-answer.ts'

const answer = (body: object) => readWaitAnswer(answered(body))

const READY = { status: 'ready', ciphertext_base64: 'Ym94' }
const RECEIPT = { kid: 'k', payload: 'p', signature: 's' }

test('a delivery of an old server can have only values', () => {
  expect(answer(READY)).toEqual({
    kind: 'ready',
    delivery: {
      ciphertextBase64: 'Ym94',
      bundle: null,
      workspace: null,
      missingRequired: [],
      expired: [],
      deliveryId: null,
      versions: [],
      taskUntil: null,
      receipt: null,
    },
  })
})

test('texts of a delivery are cut and made safe to print', () => {
  const said = answer({
    ...READY,
    missing_required: ['\u001b[31mA', 'x'.repeat(81)],
    delivery_id: 'x'.repeat(81),
    versions: [{ name: 'x'.repeat(81), version: 3 }],
    task_until: '2030-01-31T18:30:00Z',
    receipt: { ...RECEIPT, touches: [{ a: 1 }] },
  })
  expect(said).toMatchObject({
    delivery: {
      missingRequired: ['�[31mA', `${'x'.repeat(79)}…`],
      deliveryId: `${'x'.repeat(79)}…`,
      versions: [{ name: `${'x'.repeat(79)}…`, version: 3 }],
      taskUntil: Date.parse('2030-01-31T18:30:00Z'),
      receipt: { ...RECEIPT, touches: [{ a: 1 }] },
    },
  })
})

test.each([
  ['the code of the page', { needs: 'release', release_by: 'code' }, { needs: 'code', other: null }],
  [
    'the browser on this computer',
    { needs: 'release', release_by: 'loopback' },
    { needs: 'loopback', other: null },
  ],
  ['nothing', { statement: RECEIPT }, { needs: 'none', other: null, statement: RECEIPT }],
  [
    'a second person, for some time',
    { needs: 'second_person', expires_in: 60 },
    { needs: 'second_person', other: { who: 'second', count: null, leftMs: 60_000 } },
  ],
  [
    'a person whom the rules name',
    { needs: 'approver', deciders: { who: 'named', count: 2 } },
    { needs: 'approver', other: { who: 'named', count: 2, leftMs: null } },
  ],
])('a pending request needs %s', (_, body, needs) => {
  expect(answer({ status: 'pending', ...body })).toMatchObject({ kind: 'pending', ...needs })
})

test('a stored deposit has a receipt, and a change request names its workspace', () => {
  expect(answer({ status: 'applied', deposit: { receipt: RECEIPT } })).toMatchObject({
    kind: 'applied',
    receipt: RECEIPT,
  })
  const workspace = { id: 'w', name: 'Acme' }
  expect(answer({ status: 'proposed', proposal: { workspace } })).toEqual({ kind: 'proposed', workspace })
})

test.each([
  ['another status', { status: 'done' }, 'the server answered neither "pending" nor "ready"'],
  ['no values', { status: 'ready' }, 'the server sent no ciphertext'],
  [
    'a bundle without id',
    { ...READY, bundle: { name: 'dev/app' } },
    'the server sent a bundle without id and name',
  ],
  ['a workspace without id', { ...READY, workspace: {} }, 'the server sent a workspace without id and name'],
  [
    'a missing_required that is no list',
    { ...READY, missing_required: 'A' },
    'the server sent missing_required that is not a list',
  ],
  ['an expired that is no list', { ...READY, expired: 'A' }, 'the server sent expired that is not a list'],
  [
    'a delivery_id that is not text',
    { ...READY, delivery_id: 1 },
    'the server sent a delivery_id that is no text',
  ],
  ['a versions that is no list', { ...READY, versions: {} }, 'the server sent versions that are not a list'],
  [
    'a version without number',
    { ...READY, versions: [{ name: 'A' }] },
    'the server sent a version without name and number',
  ],
  ['a task without time', { ...READY, task_until: 'soon' }, 'the server sent a task_until that is no time'],
  [
    'an incomplete receipt',
    { ...READY, receipt: { kid: 'k' } },
    'the server sent a receipt that this client does not know',
  ],
  [
    'a signature that is not an object',
    { ...READY, receipt: { ...RECEIPT, touches: ['x'] } },
    'the server sent a signature that this client does not know',
  ],
  [
    'an incomplete statement',
    { status: 'pending', statement: {} },
    'the server sent a statement that this client does not know',
  ],
  ['an approver without deciders', { status: 'pending', needs: 'approver' }, 'the server sent no deciders'],
  [
    'an unknown way to release',
    { status: 'pending', needs: 'release', release_by: 'fax' },
    'this client does not support what the request needs; install a newer version',
  ],
  ['a deposit without a receipt', { status: 'applied' }, 'the server does not say what it stored'],
  ['a change request without a workspace', { status: 'proposed' }, 'the server does not say what it stored'],
])('%s is refused', (_, body, message) => {
  expect(() => answer(body)).toThrow(expect.objectContaining({ exitCode: EXIT.refused, message }))
})
