import { z } from 'zod'
import type { DeliveredKey, Delivery, Via } from '../../domain/deliveries/delivery.ts'

/*
 * The texts in a delivery's row: which keys, for whom, how used.
 */

/** The last member marks a part. */
const StoredKeys = z.array(z.tuple([z.string(), z.string(), z.number()], z.literal('part')))
const StoredLabel = z.object({ hostname: z.string(), user: z.string(), program: z.string() }).nullable()

/** The keys of a delivery, from the text of its row. */
export function keysIn(versions: string): Delivery['keys'] {
  return StoredKeys.parse(JSON.parse(versions)).map(([id, name, version, mark]) => ({
    id,
    name,
    version,
    isPart: mark === 'part',
  }))
}

/** A key in the text of a delivery's row. */
export function storedKey({ id, name, version, isPart = false }: DeliveredKey) {
  return isPart ? [id, name, version, 'part'] : [id, name, version]
}

/** What a row's text tells of the client's claims. */
export function labelIn(label: string | null): Delivery['label'] {
  return label === null ? null : StoredLabel.parse(JSON.parse(label))
}

/** How a row's text says that the values are used. */
export function viaIn(via: string | null): Via {
  return via === 'run' || via === 'pull' ? via : null
}
