import { z } from 'zod'
import { KEY_NAME } from '../env/names.ts'
import { LIMITS } from '../limits.ts'
import { OlderHolders } from './delivery.ts'
import {
  Actor,
  changeOf,
  environmentValue,
  Facts,
  Flag,
  Id,
  object,
  optionalText,
  Page,
  Reveal,
  requiredText,
  Timestamp,
  wholeNumber,
} from './text.ts'

/** Names a library key; UPPERCASE_SNAKE_CASE is customary. */
export const KeyName = requiredText('name', LIMITS.nameLength, 'Key name is required')
  .regex(KEY_NAME, 'Key name may hold only letters, digits and _')
  .meta({ id: 'KeyName', examples: ['DATABASE_URL'] })

export const Expiry = z.iso
  .datetime({ error: 'expires_at must be a time in UTC, for example 2027-01-31T12:00:00Z, or null' })
  .nullable()

const WRONG_ROTATION = `rotate_after_days must be a whole number of days from 1 to ${LIMITS.rotateAfterDays}, or null`

export const Rotation = wholeNumber(WRONG_ROTATION, 1, LIMITS.rotateAfterDays).nullable()

/** The version that the caller read. When the value has changed since, nothing happens: 409 `version_conflict`. */
export const ExpectedVersion = wholeNumber('expected_version must be a whole number from 1', 1).optional()

/** What a person says of a key, apart from its name. */
export const KeyFields = {
  value: environmentValue('value must be a string'),
  description: optionalText('description', LIMITS.descriptionLength),
  is_secret: Flag('is_secret'),
  is_template: Flag('is_template'),
  expires_at: Expiry,
  rotate_after_days: Rotation,
}

/** Why a value should be replaced. `expiring`: it expires within 14 days; `rotate`: it is older than
 * `rotate_after_days`. */
export const Due = z.enum(['expired', 'expiring', 'rotate']).nullable().meta({ id: 'Due' })

/** `is_template`: each bundle composes the value that it delivers. In the text, `${NAME}` stands for what the bundle
 * delivers as NAME, `${NAME|uri}` for the same percent-encoded, and `$${` for `${`. */
export const CreateKey = object('CreateKey', {
  name: KeyName,
  value: environmentValue('Key value is required'),
  is_secret: KeyFields.is_secret.default(true),
  is_template: KeyFields.is_template.default(false),
  description: KeyFields.description.default(''),
  expires_at: Expiry.default(null),
  rotate_after_days: Rotation.default(null),
})

/** Fields of a key that `expected` can name; `expected_version` does the same for its value. */
const Described = {
  description: KeyFields.description,
  is_secret: KeyFields.is_secret,
  expires_at: KeyFields.expires_at,
  rotate_after_days: KeyFields.rotate_after_days,
}

/** Absent fields stay: a new `value` of a template is its new text. */
export const UpdateKey = changeOf('UpdateKey', Described, { description: 'primary database' }).extend({
  value: KeyFields.value.optional(),
  is_template: KeyFields.is_template.optional(),
  expected_version: ExpectedVersion,
})

/** A library entry; `value` is the mask for a secret, and the text of a template. `template_parts`: the names in it.
 * `version` counts the values that the key has had, from 1. `value_changed_elsewhere_at`: of a value that moved here,
 * when it last changed on the other server. The moved file claims this time; nothing proves it. `may_change`: whether
 * the caller may change the value. `may_show`: whether they may also say that it is no secret, or put the key into a
 * bundle. */
export const Key = object('Key', {
  id: Id,
  name: z.string(),
  value: z.string(),
  is_secret: z.boolean(),
  is_template: z.boolean(),
  template_parts: z.array(z.string()),
  description: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: Id,
  updated_by: Id,
  updated_by_name: z.string().nullable(),
  used_in_bundles: z.int(),
  version: z.int(),
  value_set_at: Timestamp,
  value_set_by: Actor,
  value_changed_elsewhere_at: Timestamp.nullable(),
  expires_at: Timestamp.nullable(),
  rotate_after_days: z.int().nullable(),
  due: Due,
  may_change: z.boolean(),
  may_show: z.boolean(),
})

/** Other variables that still have the old value; `bundle`: null for a key that is in none. */
export const FormerElsewhere = z
  .array(z.object({ name: z.string(), bundle: z.string().nullable() }))
  .optional()

/** A key after a change of its value. `older_holders` and `former_in`: if `facts=1` asks for them; otherwise absent.
 * `former_in`: other variables that still have the old value; only owners get it. */
export const SavedKey = Key.extend({
  older_holders: OlderHolders.optional(),
  former_in: FormerElsewhere,
}).meta({
  id: 'SavedKey',
})

export const SaveKeyQuery = z.object({ facts: Facts })

const Uses = z.array(z.object({ id: Id, name: z.string(), as: z.string() }))

/** Each bundle delivers the key under the name `as`. */
export const KeyWithBundles = Key.extend({ bundles: Uses }).meta({ id: 'KeyWithBundles' })

/** `bundles`: as of one key, if `uses=1` asks for them; otherwise absent. `due_at`: when the value expires or should be
 * replaced, whichever comes first; present if `within_days` is given. */
export const KeyList = z
  .array(Key.extend({ bundles: Uses.optional(), due_at: Timestamp.nullable().optional() }))
  .meta({ id: 'KeyList' })

const WRONG_AHEAD = `within_days must be a whole number from 0 to ${LIMITS.rotateAfterDays}`

/** `due=1`: only keys whose value should be replaced, or with `within_days` will be by then. `used=0`: only keys that
 * are in no bundle. */
export const ListKeysQuery = Page.extend({
  query: optionalText('query', LIMITS.nameLength).optional(),
  due: z.enum(['0', '1'], { error: 'due must be 0 or 1' }).optional(),
  within_days: z.coerce
    .number()
    .int(WRONG_AHEAD)
    .min(0, WRONG_AHEAD)
    .max(LIMITS.rotateAfterDays, WRONG_AHEAD)
    .optional(),
  used: z.enum(['0', '1'], { error: 'used must be 0 or 1' }).optional(),
  uses: z.enum(['0', '1'], { error: 'uses must be 0 or 1' }).optional(),
})

export const GetKeyQuery = z.object({ reveal: Reveal })
