import { expect, test } from 'vitest'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import { mismatch } from './grant-match.ts'

type Grant = Parameters<typeof mismatch>[0]

const FLAGS = ['run', '--only', '--prefix=A']
const COMMAND = { argv: ['npm', 'test'], argvMasked: null, cwd: '/app' }
const NETWORK = '192.0.2.1'

/** What one difference between an approval and a request leads to. */
function compared(approved: Partial<Grant>, asks: object) {
  const use = { redaction: 'auto' as const, flags: FLAGS, network: NETWORK }
  const grant: Grant = { ...COMMAND, agent: null, use, asked: [], keys: ['A', 'B'], ...approved }
  const request = {
    ...COMMAND,
    requesterMeta: { ip: NETWORK },
    use: { redaction: 'auto', flags: FLAGS },
    templateKeys: [],
    ...asks,
  }
  return mismatch(grant, request as unknown as ApprovalRequest)
}

const task = (flags = FLAGS): Partial<Grant> => ({
  use: { redaction: 'auto', flags, network: NETWORK, task: {} },
})
const once: Partial<Grant> = { use: { redaction: 'auto', flags: FLAGS, network: NETWORK, once: true } }
const elsewhere = { requesterMeta: { ip: '192.0.2.2' } }
const byAgent = { requesterMeta: { ip: NETWORK, agent: 'helper' } }

test.each<[string, Partial<Grant>, object]>([
  ['the same command', {}, {}],
  ['the same command from another network', {}, elsewhere],
  ['another command of a task', task(), { argv: ['make'], templateKeys: ['A'] }],
  ['the next run, from the same network', once, {}],
])('%s is what was approved', (_, approved, asks) => {
  expect(compared(approved, asks)).toBeNull()
})

test.each<[string, Partial<Grant>, object]>([
  ['your network changed', once, elsewhere],
  ['your network changed', task(), elsewhere],
  [
    'the order of the flags differs',
    {},
    { use: { redaction: 'auto', flags: [FLAGS[0], FLAGS[2], FLAGS[1]] } },
  ],
  ['--prefix differs', {}, { use: { redaction: 'auto', flags: ['run', '--only', '--prefix=B'] } }],
  ['--ask is new', {}, { use: { redaction: 'auto', flags: [...FLAGS, '--ask'] } }],
  ['it is not part of a task', task(), { use: { redaction: 'auto', flags: ['pull', ...FLAGS.slice(1)] } }],
  ['less of the output is hidden', {}, { use: { redaction: 'never', flags: FLAGS } }],
  ['helper asks, a person was approved', {}, byAgent],
  ['a person asks, helper was approved', { agent: 'helper' }, {}],
  ['it asks for all variables', { asked: ['A'] }, {}],
  ['it asks for all variables', { ...task(), asked: ['A'] }, {}],
  ['it asks for some of the variables', {}, { templateKeys: ['A'] }],
  ['it asks for fewer variables', { asked: ['A', 'B'] }, { templateKeys: ['A'] }],
  ['it also asks for C', { ...task(), asked: ['A'] }, { templateKeys: ['A', 'C'] }],
  ['it also asks for C', { ...task(), asked: ['C'], keys: ['A'] }, { templateKeys: ['C'] }],
])('a request asks again where %s', (differs, approved, asks) => {
  expect(compared(approved, asks)).toMatchObject({ differs })
})
