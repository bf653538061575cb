import { z } from 'zod'
import { KEY_NAME } from '../env/names.ts'
import { LIMITS } from '../limits.ts'
import { Flag, Id, PathPart, Position, requiredText } from './text.ts'

export const AttachmentParams = z.object({ bundle_id: PathPart('bundle_id'), key_id: PathPart('key_id') })

/** The name under which a bundle delivers a key: a variable's name like any key's. */
const DeliveredName = requiredText('as', LIMITS.nameLength, 'as must be a key name').regex(
  KEY_NAME,
  'as may hold only letters, digits and _',
)

/** `as` is the delivered name; without it the bundle delivers the key under its library name. */
export const AttachKey = z
  .object({
    as: DeliveredName.optional(),
    order: Position.optional(),
    required: Flag('required').default(false),
  })
  .meta({ id: 'AttachKey', examples: [{ as: 'DATABASE_URL', order: 0, required: true }] })

export const ReorderKey = z.object({ order: Position }).meta({ id: 'ReorderKey', examples: [{ order: 2 }] })

/** Absent fields stay; at least one is given. */
export const ChangeAttachment = z
  .object({ as: DeliveredName.optional(), required: Flag('required').optional() })
  .refine(({ as, required }) => as !== undefined || required !== undefined, 'as or required must be given')
  .meta({ id: 'ChangeAttachment', examples: [{ as: 'DATABASE_URL', required: true }] })

/** A bundle delivers the key as `name`; `key_name` is its name in the library. */
export const AttachedKeyList = z
  .array(
    z
      .object({
        id: Id,
        name: z.string(),
        key_name: z.string(),
        value: z.string(),
        is_secret: z.boolean(),
        order: z.int(),
        required: z.boolean(),
      })
      .meta({ id: 'AttachedKey' }),
  )
  .meta({
    id: 'AttachedKeyList',
    examples: [
      [
        {
          id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
          name: 'DATABASE_URL',
          key_name: 'PROD_APP_DATABASE_URL',
          value: '*****',
          is_secret: true,
          order: 0,
          required: false,
        },
      ],
    ],
  })
