import { z } from 'zod'
import { BUNDLE_NAME, hasWholeParts } from '../env/names.ts'
import { LIMITS } from '../limits.ts'
import { PRODUCTION } from '../production.ts'
import { Composition, LibraryName } from './attachment.ts'
import {
  changeOf,
  environmentValue,
  Facts,
  Id,
  object,
  optionalText,
  Page,
  Reveal,
  requiredText,
  Timestamp,
} from './text.ts'

/** Hierarchical by `/`, which neither leads, trails nor repeats. */
export const BundleName = requiredText('name', LIMITS.nameLength, 'name required')
  .regex(BUNDLE_NAME, 'name may hold only letters, digits, /, - and _')
  .refine(hasWholeParts, 'name may not begin or end with / or hold //')
  .meta({ id: 'BundleName', examples: ['dev/app'] })

/** Whether a bundle is for production, as an owner says. `by_name`: as its name and tags say. */
export const ProductionField = z.enum(PRODUCTION, { error: 'production must be by_name, yes or no' })

const fields = {
  name: BundleName,
  description: optionalText('description', LIMITS.descriptionLength),
  tags: optionalText('tags', LIMITS.tagsLength),
}

export const CreateBundle = object(
  'CreateBundle',
  {
    name: BundleName,
    description: fields.description.default(''),
    tags: fields.tags.default(''),
  },
  { name: 'dev/app', description: 'the app on a laptop', tags: 'dev,app' },
)

export const UpdateBundle = changeOf('UpdateBundle', fields, { name: 'dev/web', tags: 'dev' })

const deliveredNames = (field: string) =>
  z
    .array(z.string({ error: `${field} must be key names` }), {
      error: `${field} must be an array of key names`,
    })
    .max(LIMITS.importEntries, `${field} must hold at most ${LIMITS.importEntries} names`)
    .default([])

/** The duplicate gets copies of the keys delivered as `own` and of those named in `values`, and shares all others. A
 * copy keeps the mark of its key. `values` gives a copy another value, which is never a template, and is secret unless
 * `public` names it. `key_names` gives a copy another library name than the one that the server makes. */
export const DuplicateBundle = object(
  'DuplicateBundle',
  {
    name: BundleName,
    own: deliveredNames('own'),
    public: deliveredNames('public'),
    values: z
      .record(z.string(), environmentValue('values must be an object of texts'), {
        error: 'values must be an object of texts',
      })
      .default({}),
    key_names: z
      .record(z.string(), LibraryName, { error: 'key_names must be an object of key names' })
      .default({}),
  },
  { name: 'staging/app', own: ['DATABASE_URL'] },
)

/** `may_edit`: whether the caller may change the bundle's name and texts, and what it holds. `may_duplicate`: whether
 * they may duplicate it. */
export const Bundle = object('Bundle', {
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
  may_edit: z.boolean(),
  may_duplicate: z.boolean(),
})

/** An attached key, or a legacy item (`id`, `key_name` and `order` null). A bundle delivers the key as `name`, which
 * `key` repeats; `key_name` is its name in the library. `template_parts`: the names of which the bundle composes the
 * value; absent for any other value. `missing_parts`: those that the bundle does not deliver as ordinary values; while
 * there are any, `value` is the mask and the value can be neither approved nor exported. A composed value is secret if
 * a part is. */
export const BundleItem = object('BundleItem', {
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

export const BundleWithItems = Bundle.extend({ items: z.array(BundleItem) }).meta({ id: 'BundleWithItems' })

/** Of the keys in a bundle, those whose value has `expired`, is `due` to be replaced, or of which a holder has an
 * `older` value. */
export const BundleMarks = z.object({ expired: z.int(), due: z.int(), older: z.int() })

/** `marks`: if a person asks for them with `facts=1`; otherwise absent. */
export const BundleList = z.array(Bundle.extend({ marks: BundleMarks.optional() })).meta({ id: 'BundleList' })

export const ListBundlesQuery = Page.extend({
  query: optionalText('query', LIMITS.nameLength).optional(),
  tag: optionalText('tag', LIMITS.tagsLength).optional(),
  facts: Facts,
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
