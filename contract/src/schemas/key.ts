import { z } from 'zod'
import { KEY_NAME } from '../env/names.ts'
import { LIMITS } from '../limits.ts'
import {
  environmentValue,
  Flag,
  Id,
  optionalText,
  Page,
  PathPart,
  Reveal,
  requiredText,
  Timestamp,
} from './text.ts'

/** Names a library key; UPPERCASE_SNAKE_CASE is customary. */
export const KeyName = requiredText('name', LIMITS.nameLength, 'Key name is required')
  .regex(KEY_NAME, 'Key name may hold only letters, digits and _')
  .meta({ id: 'KeyName', examples: ['DATABASE_URL'] })

export const KeyParams = z.object({ key_id: PathPart('key_id') })

export const CreateKey = z
  .object({
    name: KeyName,
    value: environmentValue('Key value is required'),
    is_secret: Flag('is_secret').default(true),
    description: optionalText('description', LIMITS.descriptionLength).default(''),
  })
  .meta({ id: 'CreateKey', examples: [{ name: 'DATABASE_URL', value: 'postgres://db.example/app' }] })

export const UpdateKey = z
  .object({
    value: environmentValue('value must be a string').optional(),
    description: optionalText('description', LIMITS.descriptionLength).optional(),
    is_secret: Flag('is_secret').optional(),
  })
  .meta({ id: 'UpdateKey', examples: [{ description: 'primary database' }] })

const EXAMPLE_KEY = {
  id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
  name: 'DATABASE_URL',
  value: '*****',
  is_secret: true,
  description: '',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  updated_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  updated_by_name: 'sam',
  used_in_bundles: 1,
}

/** A library entry; `value` is the mask for a secret. */
export const Key = z
  .object({
    id: Id,
    name: z.string(),
    value: z.string(),
    is_secret: z.boolean(),
    description: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    created_by: Id,
    updated_by: Id,
    updated_by_name: z.string().nullable(),
    used_in_bundles: z.int(),
  })
  .meta({ id: 'Key', examples: [EXAMPLE_KEY] })

/** Each bundle delivers the key under the name `as`. */
export const KeyWithBundles = Key.extend({
  bundles: z.array(z.object({ id: Id, name: z.string(), as: z.string() })),
}).meta({
  id: 'KeyWithBundles',
  examples: [
    {
      ...EXAMPLE_KEY,
      bundles: [{ id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app', as: 'DATABASE_URL' }],
    },
  ],
})

export const KeyList = z.array(Key).meta({ id: 'KeyList', examples: [[EXAMPLE_KEY]] })

export const ListKeysQuery = Page.extend({ query: optionalText('query', LIMITS.nameLength).optional() })

export const GetKeyQuery = z.object({ reveal: Reveal })
