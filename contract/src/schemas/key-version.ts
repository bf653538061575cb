import { z } from 'zod'
import { ExpectedVersion } from './key.ts'
import { Actor, listOf, object, Page, PathPart, Timestamp, wholeNumber } from './text.ts'

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

export const RestoreVersion = object(
  'RestoreVersion',
  {
    version: wholeNumber(WRONG_VERSION, 1, MAX_VERSION),
    expected_version: ExpectedVersion,
  },
  { version: 2, expected_version: 4 },
)

/** A value that a key has or had. `how`: whether a person set the value, imported it, moved it from another server,
 * restored an older version, or converted a legacy item. `changed_elsewhere_at`: of a moved value, when it last
 * changed on the other server, as the moved file says. `proposed_by`: who proposed it to the owner who set it, or set
 * it before a member promoted it unseen. `value` is the mask for a value that is or was secret, and for each old value
 * of a key that is secret; null for a destroyed one. `holders` counts those who were last given this version. */
export const KeyVersionList = listOf('KeyVersion', {
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
