import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Id, PathPart } from './text.ts'

const COUNT = `bundle_id must be given 2 to ${LIMITS.comparedBundles} times`

/** `bundle_id` is given once for each bundle. */
export const CompareQuery = z.object({
  bundle_id: z
    .union([z.array(PathPart('bundle_id')), z.string().transform((id) => [id])], { error: COUNT })
    .refine(({ length }) => length >= 2 && length <= LIMITS.comparedBundles, COUNT)
    .refine((ids) => new Set(ids).size === ids.length, 'bundle_id must name each bundle once'),
})

/** `shared`: another of the bundles delivers the same key under this name · `own`: none does. A legacy item is `own`
 * and has no key. `template_parts`: of a key whose value each bundle composes, so bundles that share it may deliver
 * different values; absent for any other key. */
const ComparedCell = z
  .object({
    bundle_id: Id,
    state: z.enum(['shared', 'own', 'missing']),
    key_id: Id.nullable(),
    key_name: z.string().nullable(),
    template_parts: z.array(z.string()).optional(),
  })
  .meta({ id: 'ComparedCell' })

/** Rows by name; in each row a cell for each bundle, in the order asked for. */
export const Comparison = z
  .object({ rows: z.array(z.object({ name: z.string(), cells: z.array(ComparedCell) })) })
  .meta({
    id: 'Comparison',
    examples: [
      {
        rows: [
          {
            name: 'DATABASE_URL',
            cells: [
              {
                bundle_id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10',
                state: 'own',
                key_id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
                key_name: 'DATABASE_URL',
              },
              {
                bundle_id: '9d8f8a5e-2f0e-4a56-8a2b-5c1d2e3f4a5b',
                state: 'missing',
                key_id: null,
                key_name: null,
              },
            ],
          },
        ],
      },
    ],
  })
