import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { BundleName } from './bundle.ts'
import { FormerElsewhere, KeyName } from './key.ts'
import { environmentValue, Flag, Id, object, Stricter, Timestamp } from './text.ts'

const TOO_MANY = `an import must hold at most ${LIMITS.importEntries} entries`
const ENTRIES = 'entries must be a list of names and values'

const Names = (field: string) =>
  z.array(KeyName, { error: `${field} must be a list of names` }).max(LIMITS.importEntries, TOO_MANY)

const VALUE_OR_BUNDLE = 'every entry needs a value, or the name of a bundle in from'

/** One variable of the file. Without `is_secret`, a variable of the bundle keeps its mark, a key that it shares keeps
 * its own, a copy has the mark of what it copies, and every other new key is secret. So a value without a mark is
 * shared only with a secret key. The mask as a value keeps what the bundle delivers. `from`, in the place of
 * a value: use the key that this bundle delivers under the name or, for a name in `own`, copy its value. */
const ImportEntry = z
  .object(
    {
      name: KeyName,
      value: environmentValue(VALUE_OR_BUNDLE).optional(),
      from: BundleName.optional(),
      is_secret: Flag('is_secret').optional(),
    },
    { error: ENTRIES },
  )
  .refine(({ value, from }) => (value === undefined) !== (from === undefined), {
    error: VALUE_OR_BUNDLE,
    path: ['value'],
  })
  .meta({ id: 'ImportEntry' })

const REPLACE = 'replace must be a list of names, or "all"'

/** What to do with entries that other bundles have too; see `ImportAction`. `key_names`: the library name of an
 * entry's key, by the entry's name. */
export const IMPORT_CHOICES = {
  own: Names('own'),
  share: Names('share'),
  replace: z.union([z.literal('all'), Names('replace')], { error: REPLACE }),
  key_names: z.record(KeyName, KeyName, { error: 'key_names must map entry names to library names' }),
}

/** Versions of the values that the sender was given, by name. */
export const Seen = z
  .array(z.object({ name: KeyName, version: z.int().min(1) }), {
    error: 'seen must be a list of names and versions',
  })
  .max(LIMITS.importEntries, TOO_MANY)

/** The plan that the caller saw. */
export const PlanId = z
  .string({ error: 'plan_id must be the plan_id of a dry run' })
  .max(64, 'plan_id is too long')

const TOO_MANY_TAKEN = `at most ${LIMITS.batchKeys} entries may be taken from bundles`

const OF_BUNDLE = z.object({
  bundle: BundleName,
  entries: z
    .array(ImportEntry, { error: ENTRIES })
    .max(LIMITS.importEntries, TOO_MANY)
    .refine(
      (entries) => entries.filter(({ from }) => from !== undefined).length <= LIMITS.batchKeys,
      TOO_MANY_TAKEN,
    ),
  detach: Names('detach').default([]),
  own: IMPORT_CHOICES.own.default([]),
  share: IMPORT_CHOICES.share.default([]),
  replace: IMPORT_CHOICES.replace.default([]),
  key_names: IMPORT_CHOICES.key_names.default({}),
  seen: Seen.optional(),
})

const isFull = ({ entries, detach }: z.output<typeof OF_BUNDLE>) => entries.length + detach.length > 0
const EMPTY = { error: 'entries must not be empty', path: ['entries'] }

const ALSO = `also must be a list of at most ${LIMITS.comparedBundles - 1} imports into other bundles`

/** `detach`: names that the bundle no longer delivers; their keys stay in the library. `seen`: versions of the values
 * that the caller was given; the plan keeps every other value that the bundle delivers now. `plan_id`: apply only what
 * this plan says, which is that of all bundles. `also`: imports into other bundles that follow this one, all of them or
 * none. */
export const ImportVariables = OF_BUNDLE.extend({
  also: z
    .array(OF_BUNDLE.refine(isFull, EMPTY), { error: ALSO })
    .max(LIMITS.comparedBundles - 1, ALSO)
    .default([]),
  dry_run: Flag('dry_run').default(false),
  plan_id: PlanId.optional(),
})
  .refine(isFull, EMPTY)
  .meta({
    id: 'ImportVariables',
    examples: [
      {
        bundle: 'prod/app',
        entries: [
          { name: 'DATABASE_URL', value: 'postgres://db.example/app' },
          { name: 'PORT', value: '8080', is_secret: false },
        ],
        dry_run: true,
      },
    ],
  })

/** - `create`: a new key, named as the entry
 * - `own`: a new key for this bundle; other bundles keep the value they have
 * - `share`: the bundle uses a key that exists; its value stays
 * - `update`: a new value for a key that only this bundle uses
 * - `replace`: a new value for a key that other bundles use too, as `replace` asked
 * - `same`: nothing to write
 * - `kept`: nothing to write, because the entry is masked, `share` keeps the bundle's key, or the bundle composes the
 *   value
 * - `detach`: the bundle no longer delivers the name; its key stays in the library */
export const IMPORT_ACTIONS = [
  'create',
  'own',
  'share',
  'update',
  'replace',
  'same',
  'kept',
  'detach',
] as const
export type ImportAction = (typeof IMPORT_ACTIONS)[number]

/** `key_id`: null for a key that does not exist yet. `is_secret`: the key's mark after the import. `shared_with`: other
 * bundles that use the key, at most five by name; for `own`, the bundles that keep their key. `shared_total`
 * counts them all. `choices`: what a caller may ask for in place of `action`. `template_parts`: of a key whose value
 * the bundle composes; absent for any other key. `breaks`: of a `detach`, the names that the bundle cannot compose
 * without it; absent if there are none. `crosses`: production and another environment deliver the same secret after
 * the import; absent if not. `changed`: who set the present value after the sender of the import knew it; then the plan
 * keeps it, unless a person chooses otherwise. */
export const ImportStep = object('ImportStep', {
  name: z.string(),
  action: z.enum(IMPORT_ACTIONS),
  key_id: Id.nullable(),
  key_name: z.string(),
  is_secret: z.boolean(),
  shared_with: z.array(z.string()),
  shared_total: z.int(),
  choices: z.array(z.enum(['own', 'share', 'replace'])),
  template_parts: z.array(z.string()).optional(),
  breaks: z.array(z.string()).optional(),
  crosses: z.literal(true).optional(),
  changed: z.object({ by: z.string().nullable(), at: Timestamp }).optional(),
})

const PLAN_OF_BUNDLE = z.object({
  bundle_id: Id.nullable(),
  plan: z.array(ImportStep),
  plan_id: z.string(),
  ...Stricter,
  former_in: FormerElsewhere,
})

/** What an import does: its entries in their order, then the names that it detaches. `bundle_id`: null for a bundle
 * that is still to be created. `stricter`: of the keys that it shares. `former_in`: other variables that still have a
 * value that the import replaced; absent in a plan. `also`: the same of each import that
 * followed; absent if none did. */
export const ImportPlan = PLAN_OF_BUNDLE.extend({ also: z.array(PLAN_OF_BUNDLE).optional() }).meta({
  id: 'ImportPlan',
})
