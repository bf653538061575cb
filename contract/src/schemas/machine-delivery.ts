import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { TokenDue } from './machine-token.ts'
import { ClaimedMeta } from './request-claims.ts'
import { Id, Named, object, requiredText, Timestamp } from './text.ts'

const NAMES = 'include_keys must be a list of key names'

/** `machine_id`: needed with an ID token. `bundle_id`: an id or a name. `include_keys`: absent for all keys. */
export const CreateDelivery = object('CreateDelivery', {
  client_pubkey: requiredText('client_pubkey', 64, 'client_pubkey required'),
  bundle_id: requiredText('bundle_id', LIMITS.nameLength, 'bundle_id required'),
  include_keys: z
    .array(z.string({ error: NAMES }), { error: NAMES })
    .min(1, 'include_keys must not be empty: leave it out for all keys')
    .max(LIMITS.importEntries, `include_keys must be at most ${LIMITS.importEntries} names`)
    .optional(),
  machine_id: requiredText('machine_id', 64, 'machine_id must be a machine id').optional(),
  meta: ClaimedMeta.default({}),
})

/** `keys`: what is in the box; `version` is null for a legacy item. `missing_required`: keys that the bundle marks as
 * required and that `include_keys` left out. `expired`: delivered values that are past their `expires_at`.
 * `marks_base64`: a second box, with JSON: `public` names the values that are not secret, and `of` is the SHA-256 (hex)
 * of the first box's plaintext. */
export const MachineDelivery = object('MachineDelivery', {
  delivery_id: Id,
  machine: Named,
  workspace: Named,
  bundle: Named,
  keys: z.array(z.object({ name: z.string(), version: z.int().nullable() })),
  missing_required: z.array(z.string()),
  expired: z.array(z.string()),
  ciphertext_base64: z.string(),
  marks_base64: z.string(),
})

/** `token`: the one that this call proved itself with. */
export const OwnMachine = object('OwnMachine', {
  id: Id,
  name: z.string(),
  workspace: Named,
  audit: z.boolean(),
  grants: z.array(z.object({ bundle: Named, scope: z.enum(['read', 'deliver']) })),
  token: z.object({ id: Id, hint: z.string(), expires_at: Timestamp, due: TokenDue }).nullable(),
})
