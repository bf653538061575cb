import type { MachineGrant } from '../calls/answers.ts'

type Scope = MachineGrant['scope']

/** What a machine may do with a bundle. */
export const SCOPES: Readonly<Record<Scope, string>> = { deliver: 'Fetch values', read: 'List names only' }

export function scopeNamed(text: string): Scope {
  return text === 'read' ? 'read' : 'deliver'
}
