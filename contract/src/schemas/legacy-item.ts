import { z } from 'zod'
import { KeyName } from './key.ts'
import { environmentValue, Flag } from './text.ts'

export const UpsertLegacyItem = z
  .object({
    key: KeyName,
    value: environmentValue('Key value is required'),
    is_secret: Flag('is_secret').default(true),
  })
  .meta({ id: 'UpsertLegacyItem', examples: [{ key: 'PORT', value: '3000', is_secret: false }] })

export const LegacyItem = z
  .object({ key: z.string(), value: z.string(), is_secret: z.boolean() })
  .meta({ id: 'LegacyItem', examples: [{ key: 'PORT', value: '3000', is_secret: false }] })

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

export const ImportedItems = z
  .object({ ok: z.literal(true), imported: z.int(), created: z.int(), updated: z.int() })
  .meta({ id: 'ImportedItems', examples: [{ ok: true, imported: 1, created: 1, updated: 0 }] })
