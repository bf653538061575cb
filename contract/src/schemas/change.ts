import { z } from 'zod'
import { Device } from './grant.ts'
import { Id, object, PathPart } from './text.ts'

/** `device`: signed over this delivery. */
export const WaitForRememberedChange = object('WaitForRememberedChange', {
  delivery_id: PathPart('delivery_id'),
  device: Device,
})

/** `changed`: a value of the delivery has another version now, or its bundle has it no more. The answer names no value
 * and no key; fetch the values again. */
export const Change = object('Change', { delivery_id: Id, changed: z.boolean() })
