import type { AuditAction } from '@keyferry/contract'
import { counted } from '../words/counted.ts'
import { accountWords } from './account-words.ts'
import { depositWords } from './deposit-words.ts'
import { machineWords } from './machine-words.ts'
import { namesWords } from './names-words.ts'
import { endText, fieldList, roleName } from './phrases.ts'
import type { Part, Told } from './told.ts'
import { webhookWords } from './webhook-words.ts'

type Words = (told: Told) => readonly Part[]

/** What follows the actor's name in the sentence of each action. */
export const WORDS: Readonly<Record<AuditAction, Words>> = {
  'key.created': ({ key, has }) =>
    has('changed_elsewhere_at') ? ['moved the key ', key, ' here'] : ['created the key ', key],
  'key.changed': ({ key, number, names }) => [
    'changed the value of ',
    key,
    ` to version ${number('version')}`,
    ...also(names('changed').filter((field) => field !== 'value')),
  ],
  'key.restored': ({ key, number }) => [
    `restored version ${number('restored_from')} of `,
    key,
    ` as version ${number('version')}`,
  ],
  'key.described': ({ key, names }) => [`changed ${fieldList(names('changed'), 'the description')} of `, key],
  'key.declared_secret': ({ key }) => ['declared ', key, ' secret'],
  'key.declared_public': ({ key }) => ['declared ', key, ' not secret'],
  'key.deleted': ({ gone }) => ['deleted the key ', gone],
  'key.version_destroyed': ({ key, number }) => [`destroyed version ${number('version')} of `, key],
  'key.revealed': ({ key }) => ['displayed the value of ', key],
  'key.holder_dismissed': ({ key }) => ['dismissed a holder of ', key],

  'bundle.created': ({ bundle }) => ['created the bundle ', bundle],
  'bundle.changed': ({ bundle, names }) => [
    `changed ${fieldList(names('changed'), 'the bundle')} of `,
    bundle,
  ],
  'bundle.duplicated': ({ bundle, other, listed }) => [
    'duplicated ',
    other('bundle', 'bundle'),
    ' as ',
    bundle,
    weaker(listed),
  ],
  'bundle.deleted': ({ gone }) => ['deleted the bundle ', gone],
  'bundle.attached': ({ bundle, other, text }) => [
    'attached ',
    other('key', 'key'),
    ' to ',
    bundle,
    ...(text('as') === null ? [] : [` as ${text('as')}`]),
  ],
  'bundle.detached': ({ bundle, other }) => ['detached ', other('key', 'key'), ' from ', bundle],
  'bundle.reordered': ({ bundle, other, number }) => [
    'moved ',
    other('key', 'key'),
    ` to place ${(number('position') ?? 0) + 1} of `,
    bundle,
  ],
  'bundle.attachment_changed': attachmentChanged,
  'bundle.split': ({ bundle, other, listed }) => [
    'gave ',
    bundle,
    ' its own key ',
    other('key', 'key'),
    ' instead of ',
    other('replaced', 'key'),
    weaker(listed),
  ],
  'bundle.exported': ({ bundle, text, is }) => [
    'exported ',
    bundle,
    ` as ${text('format') ?? 'text'}, ${is('revealed') ? 'with secret values' : 'secret values masked'}`,
  ],
  'bundle.imported': ({ bundle, names, listed, number }) => [
    `imported ${counted(number('names_count') ?? names('names').length, 'variable')} into `,
    bundle,
    names('names').length === 0 ? '' : `: ${listed('names')}`,
    weaker(listed),
  ],
  'bundle.policy_changed': ({ bundle, listed }) => [
    'changed the approval policy of ',
    bundle,
    listed('rules') === '' ? '' : `: ${listed('rules')}`,
  ],
  'item.changed': ({ bundle, listed }) => [`wrote the legacy items ${listed('names')} of `, bundle],
  'item.deleted': ({ bundle, listed }) => [`deleted the legacy item ${listed('names')} of `, bundle],
  'item.converted': ({ bundle, other }) => [
    'converted a legacy item of ',
    bundle,
    ' to the key ',
    other('key', 'key'),
  ],

  'delivery.first_approved': (delivery) => ['gave the first of two approvals for ', ...delivered(delivery)],
  'request.vouched': ({ bundle, names, number }) => [
    `asked others to approve ${counted(number('names_count') ?? names('names').length, 'value')} of `,
    bundle,
  ],
  'request.returned': ({ bundle }) => [
    'confirmed their terminal, so others can decide a request for ',
    bundle,
  ],
  'delivery.approved': (delivery) => ['approved ', ...delivered(delivery)],
  'delivery.released': ({ bundle }) => ['released the approved values of ', bundle],
  'delivery.not_released': ({ bundle, text, has }) => [
    has('vouched_by') ? 'asked others to approve ' : 'approved ',
    bundle,
    `, and ${has('vouched_by') ? 'that' : 'the approval'} never returned to a terminal: ${endText(text('reason'))}`,
  ],
  'delivery.remembered': (delivery) => ['got, by a remembered approval, ', ...delivered(delivery)],
  'delivery.void': ({ bundle, isRequest, text }) =>
    isRequest
      ? [`tried to deny a request: ${endText(text('reason'))}`]
      : ['approved ', bundle, `, and nothing was delivered: ${endText(text('reason'))}`],
  'delivery.denied': ({ place, origin }) => [
    `denied a request from ${place ?? origin('requester_ip') ?? 'a terminal'}`,
  ],
  'delivery.collected': ({ bundle }) => ['collected the values of ', bundle],

  ...depositWords,
  ...namesWords,

  'member.invited': ({ origin, text }) => [
    `invited ${origin('email') ?? 'a person'} as ${roleName(text('role'))}`,
  ],
  'member.invitation_revoked': () => ['revoked an invitation'],
  'member.joined': ({ text }) => [`joined as ${roleName(text('role'))}`],
  'member.role_changed': ({ person, text }) => ['made ', person, ` ${roleName(text('role'))}`],
  'member.removed': ({ person }) => ['removed ', person],

  ...accountWords,
  ...machineWords,
  ...webhookWords,

  'tenant.renamed': ({ gone }) => ['renamed the workspace to ', gone],
  'tenant.policy_changed': ({ listed }) => [
    'changed the workspace’s approval policy',
    listed('rules') === '' ? '' : `: ${listed('rules')}`,
  ],
  'grant.created': () => ['asked to remember an approval'],
  'grant.ended': () => ['ended a remembered approval'],
  'person.forgotten': () => ['erased the personal data of a person from this log'],
  'audit.started': () => ['began this log'],
  'audit.pruned': ({ number }) => [`deleted the entries up to ${number('through')} from this log`],
  'audit.restored': ({ text }) => [
    'restored the database from a backup',
    text('reason') === null ? '' : `: ${text('reason')}`,
  ],
}

/** Every action, in the order of its words. */
export const ACTIONS = Object.keys(WORDS) as AuditAction[]

function also(fields: readonly string[]): string[] {
  return fields.length === 0 ? [] : [`, and ${fieldList(fields, '')}`]
}

function weaker(listed: Told['listed']): string {
  return listed('weaker') === '' ? '' : `, under weaker rules than before: ${listed('weaker')}`
}

function delivered({ bundle, values, place, origin }: Told): Part[] {
  const program = origin('program')
  return [
    `${counted(values, 'value')} of `,
    bundle,
    place === null ? '' : ` for ${place}`,
    program === null || program === '' ? '' : ` (${program})`,
  ]
}

function attachmentChanged({ bundle, other, has, text, is }: Told): Part[] {
  const name = other('key', 'key')
  const changes: Part[] = [
    ...(has('replaced') ? [' in place of ', other('replaced', 'key')] : []),
    ...(text('as') === null ? [] : [` as ${text('as')}`]),
    ...(has('required') ? [is('required') ? ', required' : ', optional'] : []),
  ]
  return ['set ', name, ' in ', bundle, ...changes]
}
