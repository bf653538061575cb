import type { AuditAction } from '@keyferry/contract'
import { joined } from '@keyferry/contract/joined'
import * as modules from '../modules.ts'
import { counted } from '../words/counted.ts'
import { depositWords } from './deposit-words.ts'
import { machineWords } from './machine-words.ts'
import { endText, fieldList, roleName } from './phrases.ts'
import { say } from './say.ts'
import type { ActionWords, EventFacts, Part } from './told.ts'

/** What the actions of requests for names say after the actor. */
const namesWords = {
  'names.approved': (told) => say`let ${told.place ?? 'a terminal'} list ${namesListed(told)}`,
  'names.not_released': (told) =>
    say`approved a list of ${namesListed(told)}, and the approval never returned to a terminal: ${end(told)}`,
  'names.void': (told) =>
    told.isRequest
      ? say`tried to deny a request for names: ${end(told)}`
      : say`approved a list of ${namesListed(told)}, but the terminal did not get it: ${end(told)}`,
  'names.denied': ({ sender }) => say`denied a request for names from ${sender}`,
} as const satisfies Readonly<Record<string, (told: EventFacts) => Part[]>>

function namesListed({ isTenant, bundle }: EventFacts): Part[] {
  return isTenant ? ['the bundles of the workspace'] : say`the names of ${bundle}`
}

function end({ text }: EventFacts): string {
  return endText(text('reason'), 'another decision was faster')
}

/** What follows the actor's name in the sentence of each action. */
export const WORDS: Readonly<Record<AuditAction, ActionWords>> = {
  'key.created': ({ key, has }) =>
    has('changed_elsewhere_at') ? say`moved the key ${key} here` : say`created the key ${key}`,
  'key.changed': ({ key, number, names }) => {
    const others = names('changed').filter((field) => field !== 'value')
    const also = others.length === 0 ? '' : `, and ${fieldList(others, '')}`
    return say`changed the value of ${key} to version ${number('version')}${also}`
  },
  'key.restored': ({ key, number }) =>
    say`restored version ${number('restored_from')} of ${key} as version ${number('version')}`,
  'key.described': ({ key, names }) =>
    say`changed ${fieldList(names('changed'), 'the description')} of ${key}`,
  'key.declared_secret': ({ key }) => say`declared ${key} secret`,
  'key.declared_public': ({ key }) => say`declared ${key} not secret`,
  'key.deleted': ({ gone }) => say`deleted the key ${gone}`,
  'key.version_destroyed': ({ key, number }) => say`destroyed version ${number('version')} of ${key}`,
  'key.revealed': ({ key }) => say`displayed the value of ${key}`,
  'key.holder_dismissed': ({ key }) => say`dismissed a holder of ${key}`,

  'bundle.created': ({ bundle }) => say`created the bundle ${bundle}`,
  'bundle.changed': ({ bundle, names }) =>
    say`changed ${fieldList(names('changed'), 'the bundle')} of ${bundle}`,
  'bundle.duplicated': (told) =>
    say`duplicated ${told.other('bundle', 'bundle')} as ${told.bundle}${weaker(told)}`,
  'bundle.deleted': ({ gone }) => say`deleted the bundle ${gone}`,
  'bundle.attached': (told) => say`attached ${other(told)} to ${told.bundle}${as(told)}`,
  'bundle.detached': (told) => say`detached ${other(told)} from ${told.bundle}`,
  'bundle.reordered': (told) =>
    say`moved ${other(told)} to place ${(told.number('position') ?? 0) + 1} of ${told.bundle}`,
  'bundle.attachment_changed': (told) => {
    const { bundle, has, is } = told
    const replaced = has('replaced') ? say` in place of ${other(told, 'replaced')}` : []
    const required = has('required') ? (is('required') ? ', required' : ', optional') : ''
    return say`set ${other(told)} in ${bundle}${replaced}${as(told)}${required}`
  },
  'bundle.split': (told) =>
    say`gave ${told.bundle} its own key ${other(told)} instead of ${other(told, 'replaced')}${weaker(told)}`,
  'bundle.exported': ({ bundle, text, is }) => {
    const secrets = is('revealed') ? 'with secret values' : 'secret values masked'
    return say`exported ${bundle} as ${text('format') ?? 'text'}, ${secrets}`
  },
  'bundle.imported': (told) =>
    say`imported ${told.variables} into ${told.bundle}${named(told, 'names')}${weaker(told)}`,
  'bundle.policy_changed': (told) =>
    say`changed the approval policy of ${told.bundle}${named(told, 'rules')}`,
  'item.changed': ({ bundle, listed }) => say`wrote the legacy items ${listed('names')} of ${bundle}`,
  'item.deleted': ({ bundle, listed }) => say`deleted the legacy item ${listed('names')} of ${bundle}`,
  'item.converted': (told) => say`converted a legacy item of ${told.bundle} to the key ${other(told)}`,

  'delivery.first_approved': (told) => say`gave the first of two approvals for ${delivered(told)}`,
  'request.vouched': ({ bundle, count }) =>
    say`asked others to approve ${counted(count('names'), 'value')} of ${bundle}`,
  'request.returned': ({ bundle }) =>
    say`confirmed their terminal, so others can decide a request for ${bundle}`,
  'delivery.approved': (told) => say`approved ${delivered(told)}`,
  'delivery.released': ({ bundle }) => say`released the approved values of ${bundle}`,
  'delivery.not_released': ({ bundle, text, has }) => {
    const [did, what] = has('vouched_by') ? ['asked others to approve', 'that'] : ['approved', 'the approval']
    return say`${did} ${bundle}, and ${what} never returned to a terminal: ${endText(text('reason'))}`
  },
  'delivery.remembered': (told) => say`got, by a remembered approval, ${delivered(told)}`,
  'delivery.void': ({ bundle, isRequest, text }) =>
    isRequest
      ? say`tried to deny a request: ${endText(text('reason'))}`
      : say`approved ${bundle}, and nothing was delivered: ${endText(text('reason'))}`,
  'delivery.denied': ({ sender }) => say`denied a request from ${sender}`,
  'delivery.collected': ({ bundle }) => say`collected the values of ${bundle}`,

  ...depositWords,
  ...namesWords,

  'member.invited': ({ origin, text }) =>
    say`invited ${origin('email') ?? 'a person'} as ${roleName(text('role'))}`,
  'member.invitation_revoked': () => ['revoked an invitation'],
  'member.joined': ({ text }) => say`joined as ${roleName(text('role'))}`,
  'member.role_changed': ({ person, text }) => say`made ${person} ${roleName(text('role'))}`,
  'member.removed': ({ person }) => say`removed ${person}`,

  'user.signed_in': () => ['signed in'],
  'user.signed_out': () => ['signed out'],
  'user.changed': (told) => say`changed ${possessed(told, 'account')}`,
  'user.password_changed': (told) => say`changed ${possessed(told, 'password')}`,
  'user.password_reset': (told) => say`reset ${possessed(told, 'password')}`,
  'user.second_factor_changed': (told) => say`changed ${possessed(told, 'second factor')}`,
  'user.deactivated': (told) => say`deactivated ${possessed(told, 'account')}`,
  'user.reactivated': (told) => say`reactivated ${possessed(told, 'account')}`,
  'passkey.added': (told) => say`added a passkey to ${possessed(told, 'account')}`,
  'passkey.renamed': (told) => say`renamed a passkey of ${possessed(told, 'account')}`,
  'passkey.removed': (told) => say`removed a passkey from ${possessed(told, 'account')}`,
  'approval_key.added': (told) => say`added an approval key to ${possessed(told, 'account')}`,
  'approval_key.endorsed': (told) => say`confirmed an approval key of ${possessed(told, 'account')} first`,
  'approval_key.confirmed': (told) => say`confirmed an approval key of ${possessed(told, 'account')}`,
  'approval_key.removed': (told) => say`removed an approval key from ${possessed(told, 'account')}`,
  'touch.refused': ({ text }) => say`signed a call, and the signature was refused: ${text('reason') ?? ''}`,
  ...machineWords,
  ...joined(modules, 'auditWords'),

  'tenant.renamed': ({ gone }) => say`renamed the workspace to ${gone}`,
  'tenant.forgotten': () => ['destroyed the workspace'],
  'tenant.policy_changed': (told) => say`changed the workspace’s approval policy${named(told, 'rules')}`,
  'grant.created': () => ['asked to remember an approval'],
  'grant.ended': () => ['ended a remembered approval'],
  'person.forgotten': () => ['erased the personal data of a person from this log'],
  'audit.started': () => ['began this log'],
  'audit.pruned': ({ number }) => say`deleted the entries up to ${number('through')} from this log`,
  'audit.restored': ({ text }) => {
    const reason = text('reason')
    return say`restored the database from a backup${reason === null ? '' : `: ${reason}`}`
  },
}

/** Every action, in the order of its words. */
export const ACTIONS = Object.keys(WORDS) as AuditAction[]

/** The key that the event mentions. */
function other(told: EventFacts, field = 'key'): Part {
  return told.other(field, 'key')
}

function as({ text }: EventFacts): string {
  return text('as') === null ? '' : ` as ${text('as')}`
}

function named({ listed }: EventFacts, field: string): string {
  return listed(field) === '' ? '' : `: ${listed(field)}`
}

function weaker({ listed }: EventFacts): string {
  return listed('weaker') === '' ? '' : `, under weaker rules than before: ${listed('weaker')}`
}

function delivered({ bundle, values, place, origin }: EventFacts): Part[] {
  const program = origin('program') ?? ''
  const terminal = place === null ? '' : ` for ${place}`
  return say`${counted(values, 'value')} of ${bundle}${terminal}${program === '' ? '' : ` (${program})`}`
}

function possessed({ isOwn, person }: EventFacts, what: string): Part[] {
  return isOwn ? [`their ${what}`] : say`the ${what} of ${person}`
}
