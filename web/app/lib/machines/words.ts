import type { EventFacts, Part } from '../activity/event-facts.ts'
import { say } from '../activity/say.ts'
import type { SignedAct } from '../calls/touch.ts'
import { counted } from '../words/counted.ts'

/** What follows the actor's name for the events of machines. */
export const auditWords = {
  'delivery.machine': ({ bundle, values }) => say`got ${counted(values, 'value')} of ${bundle}`,
  'delivery.refused': ({ number, text }) =>
    say`was refused${times(number('count'))}${REFUSALS[text('reason') ?? ''] ?? ''}`,
  'machine.created': ({ program }) => say`created the machine ${program}`,
  'machine.changed': (facts) => say`changed the machine ${facts.program}${changes(facts)}`,
  'machine.deleted': ({ gone }) => say`deleted the machine ${gone}`,
  'machine.granted': ({ program, other, text }) => {
    const may = text('scope') === 'deliver' ? 'fetch the values of' : 'read the names in'
    return say`let the machine ${program} ${may} ${other('bundle', 'bundle')}`
  },
  'machine.revoked': ({ program, other }) =>
    say`took the bundle ${other('bundle', 'bundle')} from the machine ${program}`,
  'token.created': (facts) => say`created the token ${ending(facts)} of the machine ${facts.program}`,
  'token.rotated': (facts) =>
    say`replaced a token of the machine ${facts.program} by the token ${ending(facts)}`,
  'token.ended': (facts) => say`ended the token ${ending(facts)} of the machine ${facts.program}`,
  'token.expiring': (facts) =>
    say`found that the token ${ending(facts)} expires soon, of the machine ${facts.program}`,
  'token.reported': (facts) =>
    say`reported and ended the leaked token ${ending(facts)} of the machine ${facts.program}`,
  'trust.created': ({ program, text, is }) => {
    const broad = is('is_broad') ? ', although the trust is broad' : ''
    return say`let an identity of ${text('issuer') ?? 'an issuer'} be the machine ${program}${broad}`
  },
  'trust.ended': ({ program, text }) =>
    say`ended the trust in an identity of ${text('issuer') ?? 'an issuer'} for the machine ${program}`,
} as const satisfies Record<string, (facts: EventFacts) => readonly Part[]>

const REFUSALS: Readonly<Record<string, string>> = {
  token_expired: ': its token has expired',
  token_ended: ': its token was ended',
  machine_inactive: ': it is stopped',
  network_refused: ': its token does not work from that network',
  not_granted: ': it may not fetch the bundle',
  identity_not_trusted: ': it does not trust the identity of the call',
  token_not_bound: ': the ID token was not bound to the client',
  trust_ended: ': its trust was ended',
  unauthorized: ': its ID token was not valid',
  forbidden: ': it may not read the audit log',
}

function times(count: number | null): string {
  return count === null || count < 2 ? '' : ` ${count} times`
}

function ending({ text }: EventFacts): string {
  const hint = text('hint')
  return hint === null ? 'without a hint' : `that ends in ${hint}`
}

function changes({ names, is, has }: EventFacts): string {
  const changed = new Set(names('changed'))
  if (changed.has('is_active') && has('is_active'))
    return is('is_active') ? ', which may call again' : ' and stopped it'
  if (changed.has('audit') && has('audit')) {
    return is('audit') ? ', which may read the audit log' : ', which may not read the audit log any more'
  }
  return ''
}

const newToken = ({ named }: SignedAct) => `A new token lets a program act as machine ${named('machines')}.`
const proves = ({ named, sent }: SignedAct) =>
  `ID tokens of ${sent('issuer')} with ${sent('claims')} prove machine ${named('machines')}.`

export const actWords: Readonly<Record<string, (act: SignedAct) => string>> = {
  grantBundle: ({ named }) =>
    `Machine ${named('machines')} gets what ${named('bundles')} holds, without approvals, from now on.`,
  createMachine: ({ sent }) => `The new machine ${sent('name')} can read the log.`,
  updateMachine: ({ named }) => `Machine ${named('machines')} changes.`,
  createMachineToken: newToken,
  rotateMachineToken: newToken,
  createMachineTrust: proves,
  allowMachineAttempt: proves,
}
