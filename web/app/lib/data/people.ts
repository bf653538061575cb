import type { Role, Tenant } from '../calls/answers.ts'
import { useAnswer } from '../calls/use-answer.ts'
import { toldApart } from '../words/workspace-names.ts'

/** How a role is called on the pages. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', member: 'Member' }

/** The role that a text names. */
export const roleNamed = (text: string): Role => (text === 'owner' ? 'owner' : 'member')

/** The person's workspaces, by name; equal names get the beginning of the id. */
export const useTenants = () => useAnswer('listTenants', {}, { select: toldApart<Tenant>, staleTime: 60_000 })
