import { z } from 'zod'
import { Actor, Id, listOf, Named, object, Page, PathPart, Timestamp } from './text.ts'

const time = (field: string) =>
  z.iso.datetime({ error: `${field} must be a time in UTC, for example 2027-01-31T12:00:00Z` }).optional()

export const ListHoldersQuery = Page

/** What a client claimed about itself when it asked. */
const Label = z
  .object({ hostname: z.string(), user: z.string(), program: z.string() })
  .nullable()
  .meta({ id: 'DeliveryLabel' })

/** How the client said it uses the values; null: it did not say. */
const Via = z.enum(['run', 'pull']).nullable()

/** Which version a holder has. `version` was delivered last; it is null before the first confirmed delivery.
 * `perhaps_version` is in a delivery that was approved and not confirmed: the holder may have it, or may not. `stale`:
 * `version` is not the key's current one, or without a `version`, `perhaps_version` is not. */
const Holding = {
  version: z.int().nullable(),
  perhaps_version: z.int().nullable(),
  is_current: z.boolean(),
  state: z.enum(['given', 'perhaps']),
  holder: z.string(),
  label: Label,
  via: Via,
  first_at: Timestamp,
  last_at: Timestamp,
  times: z.int(),
  delivery_id: Id,
}

/** Who holds a value: a person, or a machine. `name` is null once it is deleted. */
const Holder = Actor.extend({ kind: z.enum(['user', 'machine']) })

export const HolderList = listOf('Holder', { ...Holding, ...Holder.shape })

/** Who was given an older version of a key last: `first` has at most three, the oldest version first. */
export const OlderHolders = object('OlderHolders', {
  total: z.int(),
  first: z.array(Holder.extend({ label: Label, version: z.int() })),
})

export const ListHoldingsQuery = Page

/** `before`: only keys whose current value was set before this time. */
export const ListStaleKeysQuery = Page.extend({ before: time('before') })

/** Keys with holders who were given an older version last; `holders` counts those. */
export const StaleKeyList = listOf('StaleKey', {
  id: Id,
  name: z.string(),
  version: z.int(),
  value_set_at: Timestamp,
  holders: z.int(),
})

/** Bundles, production first. */
export const BundlesOfKey = z.array(z.object({ id: Id, name: z.string(), is_production: z.boolean() }))

/** `bundles`: those that hold the key, production first. */
const KeyOfHolding = z.object({
  id: Id,
  name: z.string(),
  version: z.int(),
  is_secret: z.boolean(),
  bundles: BundlesOfKey,
})

/** Secrets first. */
export const HoldingList = listOf('Holding', { ...Holding, key: KeyOfHolding })

/** Values that a person typed, imported or proposed: of each key the newest `version` of theirs. Secrets first. */
export const TypedValueList = listOf('TypedValue', { version: z.int(), key: KeyOfHolding })

export const ListDeliveriesQuery = Page.extend({
  bundle_id: PathPart('bundle_id').optional(),
  user_id: PathPart('user_id').optional(),
  machine_id: PathPart('machine_id').optional(),
  from: time('from'),
  to: time('to'),
})

/** A delivery, approved by a person or given to a `machine`. `remembered`: by an approval that the approver lets the
 * terminal repeat. `held`: waiting for its return to the terminal; `approved`: not confirmed, so the client may or may
 * not have it; `void`: never left the server; `collected`: the client has it. `is_part`: the value went only into
 * composed values of the delivery. `vouched_by`: whose terminal it is, where another person approved. */
export const Delivery = object('Delivery', {
  id: Id,
  kind: z.enum(['approval', 'remembered', 'machine']),
  state: z.enum(['held', 'approved', 'void', 'collected']),
  bundle: Named,
  approver: Actor.nullable(),
  vouched_by: Actor.nullable(),
  machine: z.object({ kind: z.literal('machine'), id: Id, name: z.string().nullable() }).nullable(),
  holder: z.string(),
  label: Label,
  via: Via,
  keys: z.array(z.object({ id: Id, name: z.string(), version: z.int(), is_part: z.boolean() })),
  created_at: Timestamp,
  collected_at: Timestamp.nullable(),
})

/** `current_version`: the key's version now; null once it is deleted. */
export const DeliveryNow = Delivery.extend({
  keys: z.array(Delivery.shape.keys.element.extend({ current_version: z.int().nullable() })),
}).meta({ id: 'DeliveryNow' })

export const DeliveryList = z.array(Delivery).meta({ id: 'DeliveryList' })

/** Days for which fetches are counted. */
export const USE_DAYS = 30

const WRONG_DAYS = `days must be a whole number from 1 to ${USE_DAYS}`

export const UseQuery = z.object({
  days: z.coerce.number().int(WRONG_DAYS).min(1, WRONG_DAYS).max(USE_DAYS, WRONG_DAYS).default(USE_DAYS),
  by: z.enum(['bundle', 'machine'], { error: 'by must be bundle or machine' }).default('bundle'),
})

/** How often values of a bundle, or by a machine, were fetched: `days` counts each day in UTC, the last of them today.
 * `last_at`: the last fetch, which may be before these days. A bundle or machine without a fetch is not in the list. */
export const UseList = listOf('Use', { id: Id, days: z.array(z.int()), last_at: Timestamp })
