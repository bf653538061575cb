import type { Tables } from '../base/tables.ts'

type ProposalBinding = Pick<
  Tables['proposals'],
  'id' | 'user_id' | 'bundle_id' | 'bundle_name' | 'entries' | 'detach'
>

/** What the values of a proposal are bound to: an edited row gives an error, and never another person's values, or
 * values under other names. */
export function boundProposal({ id, user_id, bundle_id, bundle_name, entries, detach }: ProposalBinding) {
  const name = JSON.stringify([user_id, bundle_id, bundle_name, entries, detach])
  return { id, name, is_secret: 1, value_version: 1 } as const
}
