import { joined } from './joined.ts'
import * as modules from './modules.ts'

/** Whose an event's origin is. `actor`: of the one who acted, or of the user that the event is about. Besides these
 * two, `delivery`: of the person who approved the delivery or vouched for it; `grant`: of the person whose remembered
 * approval it is; `email`: of the person with the e-mail address in it. */
export type OriginOwner = 'actor' | 'delivery' | 'grant' | 'email'

/** What an event can say that happened, one word each side of the dot, and whose its origin is, so that it can be
 * erased when the person is forgotten. An action is never renamed; add new ones to its group. */
export const ORIGIN_OWNERS = {
  'key.created': 'actor',
  'key.changed': 'actor',
  'key.restored': 'actor',
  'key.described': 'actor',
  'key.declared_secret': 'actor',
  'key.declared_public': 'actor',
  'key.deleted': 'actor',
  'key.version_destroyed': 'actor',
  'key.revealed': 'actor',
  'key.holder_dismissed': 'actor',
  'bundle.created': 'actor',
  'bundle.changed': 'actor',
  'bundle.duplicated': 'actor',
  'bundle.deleted': 'actor',
  'bundle.attached': 'actor',
  'bundle.detached': 'actor',
  'bundle.reordered': 'actor',
  'bundle.attachment_changed': 'actor',
  'bundle.split': 'actor',
  'bundle.exported': 'actor',
  'bundle.imported': 'actor',
  'bundle.policy_changed': 'actor',
  'item.changed': 'actor',
  'item.deleted': 'actor',
  'item.converted': 'actor',
  'delivery.first_approved': 'actor',
  'request.vouched': 'actor',
  'request.returned': 'actor',
  'delivery.approved': 'delivery',
  'delivery.released': 'delivery',
  'delivery.not_released': 'actor',
  'delivery.remembered': 'delivery',
  'delivery.void': 'delivery',
  'delivery.denied': 'actor',
  'delivery.collected': 'delivery',
  'deposit.approved': 'actor',
  'deposit.applied': 'actor',
  'deposit.not_released': 'actor',
  'deposit.void': 'actor',
  'deposit.denied': 'actor',
  'proposal.created': 'actor',
  'proposal.stored': 'actor',
  'proposal.declined': 'actor',
  'proposal.expired': 'actor',
  'proposal.withdrawn': 'actor',
  'names.approved': 'actor',
  'names.not_released': 'actor',
  'names.void': 'actor',
  'names.denied': 'actor',
  'member.invited': 'email',
  'member.invitation_revoked': 'actor',
  'member.joined': 'actor',
  'member.role_changed': 'actor',
  'member.limited': 'actor',
  'member.removed': 'actor',
  'member.moved': 'actor',
  'group.created': 'actor',
  'group.changed': 'actor',
  'group.deleted': 'actor',
  'user.signed_in': 'actor',
  'user.signed_out': 'actor',
  'user.changed': 'actor',
  'user.deactivated': 'actor',
  'user.reactivated': 'actor',
  'user.linked': 'actor',
  'user.unlinked': 'actor',
  'approval_key.added': 'actor',
  'approval_key.confirmed': 'actor',
  'approval_key.removed': 'actor',
  'touch.refused': 'actor',
  'lasting_act.announced': 'actor',
  'lasting_act.ended': 'actor',
  ...joined(modules, 'auditActions'),
  'tenant.renamed': 'actor',
  'tenant.forgotten': 'actor',
  'tenant.policy_changed': 'actor',
  'grant.created': 'actor',
  'grant.ended': 'grant',
  'person.forgotten': 'actor',
  'audit.started': 'actor',
  'audit.pruned': 'actor',
  'audit.restored': 'actor',
  'audit.accepted': 'actor',
} as const satisfies Record<string, OriginOwner>

export type AuditAction = keyof typeof ORIGIN_OWNERS

export const AUDIT_ACTIONS: readonly AuditAction[] = Object.keys(ORIGIN_OWNERS).filter(isAction)

function isAction(name: string): name is AuditAction {
  return Object.hasOwn(ORIGIN_OWNERS, name)
}
