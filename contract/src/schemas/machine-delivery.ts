import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { TokenDue } from './machine-token.ts'
import { ClaimedMeta } from './request-claims.ts'
import { Id, requiredText, Timestamp } from './text.ts'

const NAMES = 'include_keys must be a list of key names'

/** `machine_id`: needed with an ID token. `bundle_id`: an id or a name. `include_keys`: absent for all of the bundle.
 * */
export const CreateDelivery = z
  .object({
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
  .meta({
    id: 'CreateDelivery',
    examples: [{ client_pubkey: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=', bundle_id: 'prod/app' }],
  })

const Named = z.object({ id: Id, name: z.string() })

const EXAMPLE_MACHINE = { id: 'c0b0a1de-5a3e-4ad5-8a8f-0a5f0f3d8d11', name: 'ci-deploy' }
const EXAMPLE_BUNDLE = { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'prod/app' }

/** `keys`: what is in the box; `version` is null for a legacy item. `missing_required`: keys that the bundle marks as
 * required and that `include_keys` left out. `expired`: delivered values that are past their `expires_at`. */
export const MachineDelivery = z
  .object({
    delivery_id: Id,
    machine: Named,
    workspace: Named,
    bundle: Named,
    keys: z.array(z.object({ name: z.string(), version: z.int().nullable() })),
    missing_required: z.array(z.string()),
    expired: z.array(z.string()),
    ciphertext_base64: z.string(),
  })
  .meta({
    id: 'MachineDelivery',
    examples: [
      {
        delivery_id: '9b1c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
        machine: EXAMPLE_MACHINE,
        workspace: { id: '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04', name: 'Acme' },
        bundle: EXAMPLE_BUNDLE,
        keys: [{ name: 'DATABASE_URL', version: 3 }],
        missing_required: [],
        expired: [],
        ciphertext_base64: 'c2VhbGVkIGJveA==',
      },
    ],
  })

/** `token`: the one that this call proved itself with. */
export const OwnMachine = z
  .object({
    id: Id,
    name: z.string(),
    workspace: Named,
    audit: z.boolean(),
    grants: z.array(z.object({ bundle: Named, scope: z.enum(['read', 'deliver']) })),
    token: z.object({ id: Id, hint: z.string(), expires_at: Timestamp, due: TokenDue }).nullable(),
  })
  .meta({
    id: 'OwnMachine',
    examples: [
      {
        ...EXAMPLE_MACHINE,
        workspace: { id: '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04', name: 'Acme' },
        audit: false,
        grants: [{ bundle: EXAMPLE_BUNDLE, scope: 'deliver' }],
        token: {
          id: '8b0f4f6b-9d5e-4d0e-8c5c-5b8a6f1f2a33',
          hint: 'SBXn',
          expires_at: '2026-05-01T12:00:00.000Z',
          due: null,
        },
      },
    ],
  })
