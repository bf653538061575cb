import { z } from 'zod'
import { KEY_NAME } from '../env/names.ts'
import { LIMITS } from '../limits.ts'
import { KeyFields } from './key.ts'
import {
  expectedOf,
  Flag,
  Id,
  listOf,
  Ok,
  OkMessage,
  object,
  PathPart,
  Position,
  partial,
  requiredText,
  Stricter,
} from './text.ts'

/** A name for a new library key. */
export const LibraryName = requiredText('key_name', LIMITS.nameLength, 'key_name must be a key name').regex(
  KEY_NAME,
  'key_name may hold only letters, digits and _',
)

/** The name under which a bundle delivers a key: a variable's name like any key's. */
const DeliveredName = requiredText('as', LIMITS.nameLength, 'as must be a key name').regex(
  KEY_NAME,
  'as may hold only letters, digits and _',
)

/** `as` is the delivered name; without it the bundle delivers the key under its library name. */
export const AttachKey = object(
  'AttachKey',
  {
    as: DeliveredName.optional(),
    order: Position.optional(),
    required: Flag('required').default(false),
  },
  { as: 'DATABASE_URL', order: 0, required: true },
)

export const AttachedToBundle = OkMessage.extend(Stricter).meta({ id: 'AttachedToBundle' })

export const ReorderKey = object('ReorderKey', { order: Position, expected: expectedOf({ order: Position }) })

/** `key_name` is the library name of the copy; without it the server makes one of the bundle's name and the delivered
 * name. The other fields are those of the copy. Without `value`, `is_template` or `description` it has that of the
 * shared key; without `expires_at` or `rotate_after_days`, none. Without `is_secret`, the copy
 * keeps its mark; a value in the place of a template is secret. */
export const SplitKey = partial(
  'SplitKey',
  { key_name: LibraryName, ...KeyFields },
  { value: 'postgres://db.example/prod' },
)

const Required = Flag('required')

/** Absent fields stay; at least one is given. `key_id`: the key to use in place of this one, which is detached. */
export const ChangeAttachment = z
  .object({
    as: DeliveredName.optional(),
    required: Required.optional(),
    key_id: PathPart('key_id').optional(),
    expected: expectedOf({ as: DeliveredName, required: Required }),
  })
  .refine(
    ({ as, required, key_id }) => as !== undefined || required !== undefined || key_id !== undefined,
    'as, required or key_id must be given',
  )
  .meta({ id: 'ChangeAttachment', examples: [{ as: 'DATABASE_URL', required: true }] })

export const ChangedAttachment = Ok.extend(Stricter).meta({ id: 'ChangedAttachment' })

/** Of a key whose value the bundle composes: the names of its parts, and those that the bundle does not deliver as
 * ordinary values. While one is missing, `value` is the mask, and the value cannot be approved or exported. Absent for
 * any other key. `is_secret` is true where one of the parts is secret. */
export const Composition = {
  template_parts: z.array(z.string()).optional(),
  missing_parts: z.array(z.string()).optional(),
}

/** A bundle delivers the key as `name`; `key_name` is its name in the library. `template_parts`, `missing_parts`: of a
 * key whose value the bundle composes; see `BundleItem`. */
export const AttachedKeyList = listOf('AttachedKey', {
  id: Id,
  name: z.string(),
  key_name: z.string(),
  value: z.string(),
  is_secret: z.boolean(),
  order: z.int(),
  required: z.boolean(),
  ...Composition,
})

/** Keys that are attached to other bundles too. `shared_with`: the first of those bundles by name; `shared_total`
 * counts them. `crosses`: production and another environment deliver the same secret; absent if not. */
export const SharedKeyList = listOf('SharedKey', {
  key_id: Id,
  shared_with: z.string(),
  shared_total: z.int(),
  may_detach: z.boolean(),
  crosses: z.literal(true).optional(),
})
