import type { EventFacts, Part } from './event-facts.ts'
import { say } from './say.ts'

/** What people call a field of a key, a bundle, an account or a rule. */
const FIELDS: Readonly<Record<string, string>> = {
  value: 'the value',
  is_secret: 'whether it is secret',
  is_template: 'whether it has parts',
  description: 'the description',
  expires_at: 'the expiry',
  rotate_after_days: 'the rotation',
  name: 'the name',
  tags: 'the tags',
  email: 'the e-mail address',
  mails: 'which mails come',
  approvers: 'who may say yes',
  people: 'the people whom it names',
  approvals_needed: 'how many must say yes',
  assurance: 'how a yes returns',
  touch: 'whether it is signed',
  remember_hours: 'for how long it counts',
  tasks: 'tasks',
  agents: 'agents',
  changers: 'who may change values',
  production: 'whether it is production',
}

/** `: who may say yes, agents`, of rules that are written `approvers: owner`; empty without any. */
export function rulesText(rules: readonly string[]): string {
  const names = rules.map((rule) => FIELDS[rule.split(':', 1)[0] ?? ''] ?? 'a rule')
  return names.length === 0 ? '' : `: ${names.join(', ')}`
}

/** `the name and the tags`; `otherwise` where no field is known. */
export function fieldList(fields: readonly string[], otherwise: string): string {
  const names = fields.map((field) => FIELDS[field] ?? 'other details')
  const last = names.at(-1)
  if (last === undefined) return otherwise
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/** `an owner`, `a member`. */
export function roleName(role: string | null): string {
  return role === 'owner' ? 'an owner' : 'a member'
}

const ENDS: Readonly<Record<string, string>> = {
  denied: 'the request was denied',
  withdrawn: 'the request was withdrawn',
  expired: 'the request expired',
  wrong_code: 'its code was wrong',
  plan_changed: 'something had changed',
  refused: 'it was refused',
}

/** Why an approval or a denial had no effect. */
export function endText(reason: string | null, otherwise = 'another approval was faster'): string {
  return ENDS[reason ?? ''] ?? otherwise
}

export function possessed({ isOwn, person }: EventFacts, what: string): Part[] {
  return isOwn ? [`their ${what}`] : say`the ${what} of ${person}`
}
