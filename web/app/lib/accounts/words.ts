import type { ActionWords } from '../activity/event-facts.ts'
import { possessed } from '../activity/phrases.ts'
import { say } from '../activity/say.ts'

export const auditWords = {
  'user.password_changed': (facts) => say`changed ${possessed(facts, 'password')}`,
  'user.password_reset': (facts) => say`reset ${possessed(facts, 'password')}`,
  'user.second_factor_changed': (facts) => say`changed ${possessed(facts, 'second factor')}`,
  'passkey.added': (facts) => say`added a passkey to ${possessed(facts, 'account')}`,
  'passkey.renamed': (facts) => say`renamed a passkey of ${possessed(facts, 'account')}`,
  'passkey.removed': (facts) => say`removed a passkey from ${possessed(facts, 'account')}`,
} as const satisfies Readonly<Record<string, ActionWords>>

export const actWords = {}
