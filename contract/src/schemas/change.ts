import { z } from 'zod'
import { Device } from './grant.ts'
import { Id, object, PathPart, requiredText } from './text.ts'

const CLIENT_KEY = 'client_pubkey must be base64 of 32 bytes'

/** Both are needed with an ID token alone: which machine it is, and the key that a bound token names. */
export const WaitForChange = object(
  'WaitForChange',
  {
    machine_id: requiredText('machine_id', 64, 'machine_id must be a machine id').optional(),
    client_pubkey: requiredText('client_pubkey', 64, CLIENT_KEY).optional(),
  },
  {},
)

/** `device`: signed over this delivery. */
export const WaitForRememberedChange = object('WaitForRememberedChange', {
  delivery_id: PathPart('delivery_id'),
  device: Device,
})

/** `changed`: a value of the delivery has another version now, or its bundle has it no more. The answer names no value
 * and no key; fetch the values again. */
export const Change = object('Change', { delivery_id: Id, changed: z.boolean() })
