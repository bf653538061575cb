import { z } from 'zod'
import { KeyName } from './key.ts'
import { environmentValue, Flag, object } from './text.ts'

export const UpsertLegacyItem = object(
  'UpsertLegacyItem',
  {
    key: KeyName,
    value: environmentValue('Key value is required'),
    is_secret: Flag('is_secret').default(true),
  },
  { key: 'PORT', value: '3000', is_secret: false },
)

export const LegacyItem = object('LegacyItem', { key: z.string(), value: z.string(), is_secret: z.boolean() })

export const ImportItems = z
  .discriminatedUnion(
    'format',
    [
      z.object({
        format: z.literal('env'),
        payload: z.string({ error: 'payload must be a string of KEY=VALUE lines' }),
      }),
      z.object({
        format: z.literal('json'),
        data: z.record(KeyName, environmentValue('data must map names to string values'), {
          error: ({ code }) =>
            code === 'invalid_key'
              ? 'data names an item with other than letters, digits and _'
              : 'data must be an object of names to string values',
        }),
      }),
    ],
    { error: 'format must be env or json' },
  )
  .meta({ id: 'ImportItems', examples: [{ format: 'env', payload: 'PORT=3000\n' }] })

export const ImportedItems = object('ImportedItems', {
  ok: z.literal(true),
  imported: z.int(),
  created: z.int(),
  updated: z.int(),
})
