import type { AuditAction } from './audit-actions.ts'

/** What people look for in an audit log. */
export const AUDIT_GROUPS = ['approvals', 'values', 'machines', 'rules', 'refused', 'sign_ins'] as const

export type AuditGroup = (typeof AUDIT_GROUPS)[number]

/** By the noun of an action; those of all other nouns are about rules and people. */
const OF_NOUN: Readonly<Record<string, AuditGroup>> = {
  delivery: 'approvals',
  request: 'approvals',
  names: 'approvals',
  grant: 'approvals',
  key: 'values',
  bundle: 'values',
  item: 'values',
  deposit: 'values',
  proposal: 'values',
  machine: 'machines',
  token: 'machines',
  trust: 'machines',
}

const OF_ACTION: Readonly<Record<string, AuditGroup>> = {
  'bundle.policy_changed': 'rules',
  'delivery.machine': 'machines',
  'delivery.refused': 'refused',
  'delivery.denied': 'refused',
  'delivery.not_released': 'refused',
  'deposit.denied': 'refused',
  'deposit.not_released': 'refused',
  'proposal.declined': 'refused',
  'names.denied': 'refused',
  'names.not_released': 'refused',
  'touch.refused': 'refused',
  'user.signed_in': 'sign_ins',
  'user.signed_out': 'sign_ins',
}

/** The group of an action. */
export function auditGroupOf(action: AuditAction): AuditGroup {
  return OF_ACTION[action] ?? OF_NOUN[action.split('.', 1)[0] ?? ''] ?? 'rules'
}

const REPEATED: ReadonlySet<string> = new Set(['delivery.machine', 'delivery.refused'])

/** Whether an action repeats often: its calls within an hour form one story. */
export function isRepeated(action: AuditAction): boolean {
  return REPEATED.has(action)
}

/** What follows within a story that another action began. */
const STEPS: ReadonlySet<AuditAction> = new Set([
  'delivery.released',
  'delivery.collected',
  'deposit.applied',
  'request.returned',
  'grant.created',
])

/** Whether an action follows another one in its story, so that it is no story of its own. */
export function isStep(action: AuditAction): boolean {
  return STEPS.has(action)
}
