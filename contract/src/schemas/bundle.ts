import { z } from 'zod'
import { BUNDLE_NAME, hasWholeParts } from '../env/names.ts'
import { LIMITS } from '../limits.ts'
import { PRODUCTION } from '../production.ts'
import { Composition, LibraryName } from './attachment.ts'
import { environmentValue, Id, optionalText, Page, Reveal, requiredText, Timestamp } from './text.ts'

/** Hierarchical by `/`, which neither leads, trails nor repeats. */
export const BundleName = requiredText('name', LIMITS.nameLength, 'name required')
  .regex(BUNDLE_NAME, 'name may hold only letters, digits, /, - and _')
  .refine(hasWholeParts, 'name may not begin or end with / or hold //')
  .meta({ id: 'BundleName', examples: ['dev/app'] })

/** Whether a bundle is for production, as an owner says. `by_name`: as its name and tags say. */
export const ProductionField = z.enum(PRODUCTION, { error: 'production must be by_name, yes or no' })

export const CreateBundle = z
  .object({
    name: BundleName,
    description: optionalText('description', LIMITS.descriptionLength).default(''),
    tags: optionalText('tags', LIMITS.tagsLength).default(''),
  })
  .meta({
    id: 'CreateBundle',
    examples: [{ name: 'dev/app', description: 'the app on a laptop', tags: 'dev,app' }],
  })

/** What is absent stays. */
export const UpdateBundle = z
  .object({
    name: BundleName.optional(),
    description: optionalText('description', LIMITS.descriptionLength).optional(),
    tags: optionalText('tags', LIMITS.tagsLength).optional(),
  })
  .meta({ id: 'UpdateBundle', examples: [{ name: 'dev/web', tags: 'dev' }] })

/** The duplicate gets copies of the keys delivered as `own` and of those named in `values`, and shares all others.
 * `values` gives a copy another value, which is never a template. `key_names` gives a copy another library name than
 * the one that the server makes. */
export const DuplicateBundle = z
  .object({
    name: BundleName,
    own: z
      .array(z.string({ error: 'own must be key names' }), { error: 'own must be an array of key names' })
      .max(LIMITS.importEntries, `own must hold at most ${LIMITS.importEntries} names`)
      .default([]),
    values: z
      .record(z.string(), environmentValue('values must be an object of texts'), {
        error: 'values must be an object of texts',
      })
      .default({}),
    key_names: z
      .record(z.string(), LibraryName, { error: 'key_names must be an object of key names' })
      .default({}),
  })
  .meta({ id: 'DuplicateBundle', examples: [{ name: 'staging/app', own: ['DATABASE_URL'] }] })

const EXAMPLE_BUNDLE = {
  id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10',
  name: 'dev/app',
  description: 'the app on a laptop',
  tags: 'dev,app',
  created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  tenant_id: '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  updated_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  production: 'by_name',
  updated_by_name: 'sam',
  key_count: 1,
}

export const Bundle = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string(),
    tags: z.string(),
    created_by: Id,
    tenant_id: Id,
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: Id,
    production: ProductionField,
    updated_by_name: z.string().nullable(),
    key_count: z.int(),
  })
  .meta({ id: 'Bundle', examples: [EXAMPLE_BUNDLE] })

/** An attached key, or a legacy item (`id`, `key_name` and `order` null). A bundle delivers the key as `name`, which
 * `key` repeats; `key_name` is its name in the library. `template_parts`: the names of which the bundle composes the
 * value; absent for any other value. `missing_parts`: those that the bundle does not deliver as ordinary values; while
 * there are any, `value` is the mask and the value can be neither approved nor exported. A composed value is secret if
 * a part is. */
export const BundleItem = z
  .object({
    id: Id.nullable(),
    name: z.string(),
    key: z.string(),
    key_name: z.string().nullable(),
    value: z.string(),
    is_secret: z.boolean(),
    description: z.string().nullable(),
    order: z.int().nullable(),
    required: z.boolean(),
    ...Composition,
  })
  .meta({ id: 'BundleItem' })

export const BundleWithItems = Bundle.extend({ items: z.array(BundleItem) }).meta({
  id: 'BundleWithItems',
  examples: [
    {
      ...EXAMPLE_BUNDLE,
      items: [
        {
          id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
          name: 'DATABASE_URL',
          key: 'DATABASE_URL',
          key_name: 'DEV_APP_DATABASE_URL',
          value: '*****',
          is_secret: true,
          description: '',
          order: 0,
          required: false,
        },
      ],
    },
  ],
})

export const BundleList = z.array(Bundle).meta({ id: 'BundleList', examples: [[EXAMPLE_BUNDLE]] })

export const ListBundlesQuery = Page.extend({
  query: optionalText('query', LIMITS.nameLength).optional(),
  tag: optionalText('tag', LIMITS.tagsLength).optional(),
})

export const ExportQuery = z.object({
  format: z.enum(['env', 'json'], { error: 'format must be env or json' }).default('env'),
  reveal: Reveal,
})

export const ExportedJson = z
  .record(z.string(), z.string())
  .meta({ id: 'ExportedJson', examples: [{ DATABASE_URL: '*****', PORT: '3000' }] })

export const ExportedEnv = z
  .string()
  .meta({ id: 'ExportedEnv', examples: ['DATABASE_URL=*****\nPORT=3000\n'] })
