import { z } from 'zod'
import { DepositContent } from './deposit.ts'
import { AssuranceField } from './policy.ts'
import { ReleaseField } from './release.ts'
import { object, Timestamp } from './text.ts'

/** Formats that a client may name for what it will write. */
export const FORMATS = ['sh', 'fish', '.env'] as const

/** `delivery`: values for the client, as the interface says. `deposit`: values from the client, for a bundle. `names`:
 * the names of a bundle for the client, or the bundles of a workspace; no value. */
export const REQUEST_KINDS = ['delivery', 'deposit', 'names'] as const

/** Facts the server saw beside what the client claimed; every claim may be absent. */
export const RequesterMeta = z
  .object({
    ip: z.string(),
    user_agent: z.string(),
    requested_at: Timestamp,
    format: z.enum(FORMATS),
  })
  .catchall(z.string())
  .meta({ id: 'RequesterMeta' })

export const RequestContext = object('RequestContext', {
  cli_pubkey: z.string(),
  suggested_bundle_id: z.string().nullable(),
  /** The workspace that the client named, by id or name. */
  workspace: z.string().nullable(),
  template_keys: z.array(z.string()),
  requester_meta: RequesterMeta,
  /** `held`: approved, and waiting for its return to the terminal. */
  status: z.enum(['pending', 'held', 'ready']),
  user_code: z.string(),
  /** The address of the caller, as the server sees it. */
  viewer_ip: z.string(),
  /** Whether that address and the requester's are in one network; null: they cannot be compared. */
  same_network: z.boolean().nullable(),
  expires_at: Timestamp,
  /** When the command stopped and left the request; absent: it did not say so. */
  left_at: Timestamp.optional(),
  /** What this server demands of every approval; the bundle may demand more. */
  assurance: AssuranceField.optional(),
  /** The ways in which the client can take an approval back; empty: none. */
  release: z.array(ReleaseField).optional(),
  /** Of a held request. `kept`: the terminal has what it waited for, and asks its person. */
  held: z
    .object({ by: ReleaseField, until: Timestamp, kept: z.literal(true).optional() })
    .nullable()
    .optional(),
  /** One person approved, and the bundle needs two. */
  awaits_second: z.boolean().optional(),
  /** A person says that the request is of their own terminal: on its way back there, or returned. */
  vouch: z.enum(['held', 'returned']).nullable().optional(),
  /** The whole command; null: the client did not send it. */
  argv: z.array(z.string()).nullable().optional(),
  /** The client left secrets out of `argv`. */
  is_argv_masked: z.boolean().optional(),
  cwd: z.string().nullable().optional(),
  /** This folder in the main working tree of its git repository, as the terminal says. */
  repository: z.string().optional(),
  /** The flags of the client's own command, as `--name=value`; null: the client did not send them. */
  flags: z.array(z.string()).nullable().optional(),
  kind: z.enum(REQUEST_KINDS).optional(),
  /** What a deposit contains, without its values; null for any other kind. */
  deposit: DepositContent.nullable().optional(),
})
