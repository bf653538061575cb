import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Due } from './key.ts'
import { Actor, Facts, Id, object, PathPart, Timestamp } from './text.ts'

const COUNT = `bundle_id must be given 2 to ${LIMITS.comparedBundles} times`

/** `bundle_id` is given once for each bundle. `facts=1`: with the facts of each cell; then one bundle is enough. */
export const CompareQuery = z
  .object({
    bundle_id: z
      .union([z.array(PathPart('bundle_id')), z.string().transform((id) => [id])], { error: COUNT })
      .refine(({ length }) => length >= 1 && length <= LIMITS.comparedBundles, COUNT)
      .refine((ids) => new Set(ids).size === ids.length, 'bundle_id must name each bundle once'),
    facts: Facts,
  })
  .refine(({ bundle_id, facts }) => bundle_id.length >= 2 || facts === '1', COUNT)

/** What a member may know of the key behind a cell. `value`: the mask for a secret, the text of a template, null for a
 * value of more than 4 KiB. `older_holders` counts those who were given an older version last. `missing_parts`: names
 * in the template that the bundle does not deliver as ordinary values. `required`, `order`, `may_detach`: of the key in
 * this bundle, and whether the caller may take it out. `may_change` and `may_show` as of a key. */
const ComparedFacts = object('ComparedFacts', {
  value: z.string().nullable(),
  is_secret: z.boolean(),
  description: z.string(),
  version: z.int(),
  set_at: Timestamp,
  set_by: Actor,
  expires_at: Timestamp.nullable(),
  due: Due,
  used_in_bundles: z.int(),
  required: z.boolean(),
  order: z.int(),
  older_holders: z.int(),
  missing_parts: z.array(z.string()),
  may_change: z.boolean(),
  may_show: z.boolean(),
  may_detach: z.boolean(),
})

/** `shared`: another of the bundles delivers the same key under this name · `own`: none does. A legacy item is `own`
 * and has no key. `template_parts`: of a key whose value each bundle composes, so bundles that share it may deliver
 * different values; absent for any other key. `facts`: of a key, if `facts=1` asks for them; otherwise absent. */
const ComparedCell = object('ComparedCell', {
  bundle_id: Id,
  state: z.enum(['shared', 'own', 'missing']),
  key_id: Id.nullable(),
  key_name: z.string().nullable(),
  template_parts: z.array(z.string()).optional(),
  facts: ComparedFacts.optional(),
})

/** Rows by name; in each row a cell for each bundle, in the order asked for. */
export const Comparison = object('Comparison', {
  rows: z.array(z.object({ name: z.string(), cells: z.array(ComparedCell) })),
})
