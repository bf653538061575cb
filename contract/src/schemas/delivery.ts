import { z } from 'zod'
import { Actor, Id, Page, PathPart, Timestamp } from './text.ts'

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

const EXAMPLE_HOLDING = {
  version: 3,
  perhaps_version: null,
  is_current: false,
  state: 'given',
  holder: '5f2e8d8a6c1b4e0f9a7d3c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a29',
  label: { hostname: 'laptop', user: 'sam', program: 'npm' },
  via: 'run',
  first_at: '2026-01-31T12:00:00.000Z',
  last_at: '2026-01-31T12:00:00.000Z',
  times: 1,
  delivery_id: '9b1c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
} as const

/** Who holds a value: a person, or a machine. `name` is null once it is deleted. */
const Holder = Actor.extend({ kind: z.enum(['user', 'machine']) })

const EXAMPLE_ACTOR = { kind: 'user', id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55', name: 'sam' } as const

export const HolderList = z
  .array(z.object({ ...Holding, ...Holder.shape }).meta({ id: 'Holder' }))
  .meta({ id: 'HolderList', examples: [[{ ...EXAMPLE_HOLDING, ...EXAMPLE_ACTOR }]] })

export const ListHoldingsQuery = Page

/** `before`: only keys whose current value was set before this time. */
export const ListStaleKeysQuery = Page.extend({ before: time('before') })

/** Keys with holders who were given an older version last; `holders` counts those. */
export const StaleKeyList = z
  .array(
    z
      .object({
        id: Id,
        name: z.string(),
        version: z.int(),
        value_set_at: Timestamp,
        holders: z.int(),
      })
      .meta({ id: 'StaleKey' }),
  )
  .meta({
    id: 'StaleKeyList',
    examples: [
      [
        {
          id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
          name: 'DATABASE_URL',
          version: 4,
          value_set_at: '2026-01-31T12:00:00.000Z',
          holders: 2,
        },
      ],
    ],
  })

/** `bundles`: those that hold the key, production first. */
const HeldKey = z.object({
  id: Id,
  name: z.string(),
  version: z.int(),
  is_secret: z.boolean(),
  bundles: z.array(z.object({ id: Id, name: z.string(), is_production: z.boolean() })),
})

/** Secrets first. */
export const HoldingList = z.array(z.object({ ...Holding, key: HeldKey }).meta({ id: 'Holding' })).meta({
  id: 'HoldingList',
  examples: [
    [
      {
        ...EXAMPLE_HOLDING,
        key: {
          id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
          name: 'DATABASE_URL',
          version: 4,
          is_secret: true,
          bundles: [{ id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'prod/app', is_production: true }],
        },
      },
    ],
  ],
})

export const ListDeliveriesQuery = Page.extend({
  bundle_id: PathPart('bundle_id').optional(),
  user_id: PathPart('user_id').optional(),
  machine_id: PathPart('machine_id').optional(),
  from: time('from'),
  to: time('to'),
})

const EXAMPLE_DELIVERY = {
  id: EXAMPLE_HOLDING.delivery_id,
  kind: 'approval',
  state: 'collected',
  bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' },
  approver: EXAMPLE_ACTOR,
  vouched_by: null,
  machine: null,
  holder: EXAMPLE_HOLDING.holder,
  label: EXAMPLE_HOLDING.label,
  via: 'run',
  keys: [{ id: '5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21', name: 'DATABASE_URL', version: 3, is_part: false }],
  created_at: '2026-01-31T12:00:00.000Z',
  collected_at: '2026-01-31T12:00:01.000Z',
} as const

/** A delivery, approved by a person or given to a `machine`. `remembered`: by an approval that the approver lets the
 * terminal repeat. `held`: waiting for its return to the terminal; `approved`: not confirmed, so the client may or may
 * not have it; `void`: never left the server; `collected`: the client has it. `is_part`: the value went only into
 * composed values of the delivery. `vouched_by`: whose terminal it is, where another person approved. */
export const Delivery = z
  .object({
    id: Id,
    kind: z.enum(['approval', 'remembered', 'machine']),
    state: z.enum(['held', 'approved', 'void', 'collected']),
    bundle: z.object({ id: Id, name: z.string() }),
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
  .meta({ id: 'Delivery', examples: [EXAMPLE_DELIVERY] })

export const DeliveryList = z.array(Delivery).meta({ id: 'DeliveryList', examples: [[EXAMPLE_DELIVERY]] })
