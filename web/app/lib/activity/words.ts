import type { AuditAction } from '@keyferry/contract'
import { joined } from '@keyferry/contract/joined'
import { counted } from '../words/counted.ts'
import * as modules from '../words/modules.ts'
import { depositWords } from './deposit-words.ts'
import type { ActionWords, EventFacts, Part } from './event-facts.ts'
import { endText, fieldList, possessed, roleName, rulesText } from './phrases.ts'
import { say } from './say.ts'

/** What the actions of requests for names say after the actor. */
const namesWords = {
  'names.approved': (facts) => say`let ${facts.place ?? 'a terminal'} list ${namesListed(facts)}`,
  'names.not_released': (facts) =>
    say`approved a list of ${namesListed(facts)}, and the approval never returned to a terminal: ${end(facts)}`,
  'names.void': (facts) =>
    facts.isRequest
      ? say`tried to deny a request for names: ${end(facts)}`
      : say`approved a list of ${namesListed(facts)}, but the terminal did not get it: ${end(facts)}`,
  'names.denied': ({ sender }) => say`denied a request for names from ${sender}`,
} as const satisfies Readonly<Record<string, (facts: EventFacts) => Part[]>>

function namesListed({ isTenant, bundle }: EventFacts): Part[] {
  return isTenant ? ['the bundles of the workspace'] : say`the names of ${bundle}`
}

function end({ text }: EventFacts): string {
  return endText(text('reason'), 'another decision was faster')
}

/** What follows the actor's name in the sentence of each action. */
export const WORDS: Readonly<Record<AuditAction, ActionWords>> = {
  'key.created': ({ key, has }) =>
    has('changed_elsewhere_at') ? say`moved ${key} here` : say`created ${key}`,
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
  'key.deleted': ({ gone }) => say`deleted ${gone}`,
  'key.version_destroyed': ({ key, number }) => say`destroyed version ${number('version')} of ${key}`,
  'key.revealed': ({ key }) => say`displayed the value of ${key}`,
  'key.holder_dismissed': ({ key }) => say`dismissed a holder of ${key}`,

  'bundle.created': ({ bundle }) => say`created the bundle ${bundle}`,
  'bundle.changed': ({ bundle, names }) =>
    say`changed ${fieldList(names('changed'), 'the bundle')} of ${bundle}`,
  'bundle.duplicated': (facts) =>
    say`duplicated ${facts.other('bundle', 'bundle')} as ${facts.bundle}${weaker(facts)}`,
  'bundle.deleted': ({ gone }) => say`deleted the bundle ${gone}`,
  'bundle.attached': (facts) => say`added ${other(facts)} to ${facts.bundle}${as(facts)}`,
  'bundle.detached': (facts) => say`removed ${other(facts)} from ${facts.bundle}`,
  'bundle.reordered': (facts) =>
    say`moved ${other(facts)} to place ${(facts.number('position') ?? 0) + 1} of ${facts.bundle}`,
  'bundle.attachment_changed': (facts) => {
    const { bundle, has, is } = facts
    const replaced = has('replaced') ? say` in place of ${other(facts, 'replaced')}` : []
    const required = has('required') ? (is('required') ? ', required' : ', optional') : ''
    return say`set ${other(facts)} in ${bundle}${replaced}${as(facts)}${required}`
  },
  'bundle.split': (facts) =>
    say`gave ${facts.bundle} its own ${other(facts)} instead of ${other(facts, 'replaced')}${weaker(facts)}`,
  'bundle.exported': ({ bundle, text, is }) => {
    const secrets = is('revealed') ? 'with secret values' : 'secret values masked'
    return say`exported ${bundle} as ${text('format') ?? 'text'}, ${secrets}`
  },
  'bundle.imported': (facts) =>
    say`imported ${facts.variables} into ${facts.bundle}${named(facts, 'names')}${copied(facts)}${weaker(facts)}`,
  'bundle.policy_changed': (facts) =>
    say`changed the rules of ${facts.bundle}${rulesText(facts.names('rules'))}`,
  'item.changed': ({ bundle, listed }) => say`wrote the old items ${listed('names')} of ${bundle}`,
  'item.deleted': ({ bundle, listed }) => say`deleted the old item ${listed('names')} of ${bundle}`,
  'item.converted': (facts) => say`converted an old item of ${facts.bundle} to the variable ${other(facts)}`,

  'delivery.first_approved': (facts) => say`gave the first of two approvals for ${delivered(facts)}`,
  'request.vouched': ({ bundle, count }) =>
    say`asked others to approve ${counted(count('names'), 'value')} of ${bundle}`,
  'request.returned': ({ bundle }) =>
    say`confirmed their terminal, so others can decide a request for ${bundle}`,
  'delivery.approved': (facts) => say`approved ${delivered(facts)}`,
  'delivery.released': ({ bundle }) => say`released the approved values of ${bundle}`,
  'delivery.not_released': ({ bundle, text, has }) => {
    const [did, what] = has('vouched_by') ? ['asked others to approve', 'that'] : ['approved', 'the approval']
    return say`${did} ${bundle}, and ${what} never returned to a terminal: ${endText(text('reason'))}`
  },
  'delivery.remembered': (facts) => say`got, by a remembered approval, ${delivered(facts)}`,
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
  'member.limited': ({ person, names }) =>
    names('limited_to').length === 0
      ? say`let ${person} see everything again`
      : say`limited ${person} to ${names('limited_to').join(', ')}`,
  'member.removed': ({ person }) => say`removed ${person}`,
  'member.moved': ({ person, text }) =>
    say`moved the membership of ${text('person') ?? 'a person'} to ${person}`,

  'group.created': ({ gone }) => say`created the group ${gone}`,
  'group.changed': ({ gone, count }) => {
    const moved = [count('people_added'), count('people_removed')]
    const people = moved.some((each) => each > 0) ? `: ${moved[0]} added, ${moved[1]} removed` : ''
    return say`changed the group ${gone}${people}`
  },
  'group.deleted': ({ gone }) => say`deleted the group ${gone}`,

  'user.signed_in': () => ['signed in'],
  'user.signed_out': () => ['signed out'],
  'user.changed': (facts) => say`changed ${possessed(facts, 'account')}`,
  'user.deactivated': (facts) => say`deactivated ${possessed(facts, 'account')}`,
  'user.reactivated': (facts) => say`reactivated ${possessed(facts, 'account')}`,
  'user.linked': (facts) => say`linked another sign-in to ${possessed(facts, 'account')}`,
  'user.unlinked': (facts) => say`unlinked a sign-in from ${possessed(facts, 'account')}`,
  'approval_key.added': (facts) => say`added a signing key to ${possessed(facts, 'account')}`,
  'approval_key.confirmed': (facts) => say`confirmed a signing key of ${possessed(facts, 'account')}`,
  'approval_key.removed': (facts) => say`removed a signing key from ${possessed(facts, 'account')}`,
  'lasting_act.announced': () => ['signed a change that waits for another owner or a day'],
  'lasting_act.ended': () => ['ended the wait of a signed change'],
  'touch.refused': ({ text }) => say`signed a call, and the signature was refused: ${text('reason')}`,
  ...joined(modules, 'auditWords'),

  'tenant.renamed': ({ gone }) => say`renamed the workspace to ${gone}`,
  'tenant.forgotten': () => ['destroyed the workspace'],
  'tenant.policy_changed': (facts) =>
    say`changed the rules of ${facts.has('folder') ? facts.text('folder') : 'the workspace'}${rulesText(facts.names('rules'))}`,
  'grant.created': ({ has }) => [has('task') ? 'approved a task' : 'asked to remember an approval'],
  'grant.ended': () => ['ended a remembered approval'],
  'person.forgotten': () => ['erased the personal data of a person from this log'],
  'audit.started': () => ['began this log'],
  'audit.pruned': ({ number }) => say`deleted the entries up to ${number('through')} from this log`,
  'audit.restored': ({ text }) => {
    const reason = text('reason')
    return say`restored the database from a backup${reason === null ? '' : `: ${reason}`}`
  },
  'audit.accepted': () => ['accepted the rows of the database that give rights'],
}

/** The key that the event mentions. */
function other(facts: EventFacts, field = 'key'): Part {
  return facts.other(field, 'key')
}

function as({ text }: EventFacts): string {
  return text('as') === null ? '' : ` as ${text('as')}`
}

function named({ listed }: EventFacts, field: string): string {
  return listed(field) === '' ? '' : `: ${listed(field)}`
}

// Each as `NAME from dev/app`.
function copied({ names, count }: EventFacts): string {
  if (count('copied') === 0) return ''
  const some = count('copied') < count('names') ? ` ${count('copied')} of them` : ''
  const from = new Set(names('copied').map((text) => text.split(' from ')[1]))
  return `,${some} copied from ${[...from].join(', ')}`
}

function weaker({ listed }: EventFacts): string {
  return listed('weaker') === '' ? '' : `, under weaker rules than before: ${listed('weaker')}`
}

function delivered({ bundle, values, place, origin }: EventFacts): Part[] {
  const program = origin('program') ?? ''
  const terminal = place === null ? '' : ` for ${place}`
  return say`${counted(values, 'value')} of ${bundle}${terminal}${program === '' ? '' : ` (${program})`}`
}
