import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Id, object, PathPart, Stricter } from './text.ts'

const COUNT = `key_ids must be 1 to ${LIMITS.batchKeys} ids of keys`

const KeyIds = z
  .array(PathPart('key_ids'), { error: COUNT })
  .min(1, COUNT)
  .max(LIMITS.batchKeys, COUNT)
  .refine((ids) => new Set(ids).size === ids.length, 'key_ids must name each key once')

const BundleId = z.string({ error: 'bundle_id must be the id of a bundle' }).pipe(PathPart('bundle_id'))

const EXAMPLE_IDS = ['5a0c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21', 'e1f5d9a2-6a0f-4b64-9d11-3f0a8b2c7d45']
const EXAMPLE_BUNDLE = '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10'

/** One action on several keys. `attach` and `detach` name the bundle. */
export const ChangeKeys = z
  .discriminatedUnion(
    'action',
    [
      z.object({ action: z.enum(['attach', 'detach']), key_ids: KeyIds, bundle_id: BundleId }),
      z.object({ action: z.enum(['delete', 'declare_secret']), key_ids: KeyIds }),
    ],
    { error: 'action must be attach, detach, delete or declare_secret' },
  )
  .meta({
    id: 'ChangeKeys',
    examples: [{ action: 'attach', key_ids: EXAMPLE_IDS, bundle_id: EXAMPLE_BUNDLE }],
  })

/** `unchanged` counts the keys that were as wanted: attached already, not attached, or secret. */
export const ChangedKeys = object('ChangedKeys', { changed: z.int(), unchanged: z.int(), ...Stricter })

/** `bundle_id`: the bundle that gets the keys. */
export const FindKeyUses = object('FindKeyUses', { key_ids: KeyIds, bundle_id: BundleId.optional() })

/** Bundles by name; `key_count` counts the keys asked for that the bundle uses. `may_detach`: whether the caller may
 * take them out of it. `stricter`: as of an attachment to the
 * bundle that was asked for. `weaker`: secrets whose copies would come under weaker rules in it. */
export const KeyUses = object('KeyUses', {
  bundles: z.array(
    z.object({ id: Id, name: z.string(), created_by: Id, key_count: z.int(), may_detach: z.boolean() }),
  ),
  ...Stricter,
  weaker: z.array(z.string()),
})
