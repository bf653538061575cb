import { z } from 'zod'
import { Device, EXAMPLE_DEVICE } from './grant.ts'
import { Id, PathPart, requiredText } from './text.ts'

const EXAMPLE_DELIVERY = '9b1c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21'

const CLIENT_KEY = 'client_pubkey must be base64 of 32 bytes'

/** Both are needed with an ID token alone: which machine it is, and the key that a bound token names. */
export const WaitForChange = z
  .object({
    machine_id: requiredText('machine_id', 64, 'machine_id must be a machine id').optional(),
    client_pubkey: requiredText('client_pubkey', 64, CLIENT_KEY).optional(),
  })
  .meta({ id: 'WaitForChange', examples: [{}] })

/** `device`: signed over this delivery. */
export const WaitForRememberedChange = z
  .object({ delivery_id: PathPart('delivery_id'), device: Device })
  .meta({
    id: 'WaitForRememberedChange',
    examples: [{ delivery_id: EXAMPLE_DELIVERY, device: EXAMPLE_DEVICE }],
  })

/** `changed`: a value of the delivery has another version now, or its bundle has it no more. The answer names no value
 * and no key; fetch the values again. */
export const Change = z.object({ delivery_id: Id, changed: z.boolean() }).meta({
  id: 'Change',
  examples: [{ delivery_id: EXAMPLE_DELIVERY, changed: true }],
})
