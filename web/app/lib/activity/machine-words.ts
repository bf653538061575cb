import { counted } from '../words/counted.ts'
import type { Part, Told } from './told.ts'

/** What follows the actor's name for the events of machines. */
export const machineWords = {
  'delivery.machine': ({ bundle, values }) => [`got ${counted(values, 'value')} of `, bundle],
  'delivery.refused': ({ number, text }) => [
    `was refused${times(number('count'))}`,
    REFUSALS[text('reason') ?? ''] ?? '',
  ],
  'machine.created': ({ machine }) => ['created the machine ', machine],
  'machine.changed': ({ machine, names, is, has }) => [
    'changed the machine ',
    machine,
    changes({ names, is, has }),
  ],
  'machine.deleted': ({ gone }) => ['deleted the machine ', gone],
  'machine.granted': ({ machine, other, text }) => [
    'let the machine ',
    machine,
    text('scope') === 'deliver' ? ' fetch the values of ' : ' read the names in ',
    other('bundle', 'bundle'),
  ],
  'machine.revoked': ({ machine, other }) => [
    'took the bundle ',
    other('bundle', 'bundle'),
    ' from the machine ',
    machine,
  ],
  'token.created': ({ machine, text }) => [
    `created the token ${ending(text('hint'))} of the machine `,
    machine,
  ],
  'token.rotated': ({ machine, text }) => [
    'replaced a token of the machine ',
    machine,
    ` by the token ${ending(text('hint'))}`,
  ],
  'token.ended': ({ machine, text }) => [`ended the token ${ending(text('hint'))} of the machine `, machine],
  'token.expiring': ({ machine, text }) => [
    `found that the token ${ending(text('hint'))} expires soon, of the machine `,
    machine,
  ],
  'token.reported': ({ machine, text }) => [
    `reported and ended the leaked token ${ending(text('hint'))} of the machine `,
    machine,
  ],
  'trust.created': ({ machine, text, is }) => [
    `let an identity of ${text('issuer') ?? 'an issuer'} be the machine `,
    machine,
    is('is_broad') ? ', although the trust is broad' : '',
  ],
  'trust.ended': ({ machine, text }) => [
    `ended the trust in an identity of ${text('issuer') ?? 'an issuer'} for the machine `,
    machine,
  ],
} as const satisfies Record<string, (told: Told) => readonly Part[]>

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

function ending(hint: string | null): string {
  return hint === null ? 'without a hint' : `that ends in ${hint}`
}

function changes({ names, is, has }: Pick<Told, 'names' | 'is' | 'has'>): string {
  const changed = new Set(names('changed'))
  if (changed.has('is_active') && has('is_active'))
    return is('is_active') ? ', which may call again' : ' and stopped it'
  if (changed.has('audit') && has('audit')) {
    return is('audit') ? ', which may read the audit log' : ', which may not read the audit log any more'
  }
  return ''
}
