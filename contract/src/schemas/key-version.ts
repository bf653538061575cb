import { z } from 'zod'
import { ExpectedVersion } from './key.ts'
import { Actor, Page, PathPart, Timestamp } from './text.ts'

const WRONG_VERSION = 'version must be a whole number from 1 to 2147483647'

/** What both databases hold as an integer. */
const MAX_VERSION = 2_147_483_647

const Version = z.coerce
  .number({ error: WRONG_VERSION })
  .int(WRONG_VERSION)
  .min(1, WRONG_VERSION)
  .max(MAX_VERSION, WRONG_VERSION)

export const KeyVersionParams = z.object({ key_id: PathPart('key_id'), version: Version })

export const ListVersionsQuery = Page

export const RestoreVersion = z
  .object({
    version: z.int({ error: WRONG_VERSION }).min(1, WRONG_VERSION).max(MAX_VERSION, WRONG_VERSION),
    expected_version: ExpectedVersion,
  })
  .meta({ id: 'RestoreVersion', examples: [{ version: 2, expected_version: 4 }] })

/** A value that a key has or had. `how`: whether a person set the value, imported it, moved it from another server,
 * restored an older version, or converted a legacy item. `changed_elsewhere_at`: of a moved value, when it last
 * changed on the other server, as the moved file says. `proposed_by`: who proposed it to the owner who set it.
 * `value` is the mask for a value that is or was secret, and for each old value of a key that is secret; null for a
 * destroyed one. `holders` counts those who were last given this version. */
export const KeyVersionList = z
  .array(
    z
      .object({
        version: z.int(),
        current: z.boolean(),
        value: z.string().nullable(),
        is_template: z.boolean(),
        set_at: Timestamp,
        set_by: Actor,
        proposed_by: Actor.nullable(),
        changed_elsewhere_at: Timestamp.nullable(),
        how: z.enum(['set', 'import', 'move', 'restore', 'convert']),
        restored_from: z.int().nullable(),
        replaced_at: Timestamp.nullable(),
        destroyed_at: Timestamp.nullable(),
        holders: z.int(),
      })
      .meta({ id: 'KeyVersion' }),
  )
  .meta({
    id: 'KeyVersionList',
    examples: [
      [
        {
          version: 2,
          current: true,
          value: '*****',
          is_template: false,
          set_at: '2026-01-31T12:00:00.000Z',
          set_by: { kind: 'user', id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55', name: 'sam' },
          proposed_by: null,
          changed_elsewhere_at: null,
          how: 'set',
          restored_from: null,
          replaced_at: null,
          destroyed_at: null,
          holders: 0,
        },
      ],
    ],
  })
