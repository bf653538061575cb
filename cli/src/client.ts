import { type Deliver, KeyferryError } from './client-types.ts'

// What programs import as keyferry/client. The build declares it from client-types.ts.
export { KeyferryError } from './client-types.ts'

export const deliver: Deliver = async (options = {}) => {
  const { deliverValues } = await import('./deliver-values.ts')
  const result = await deliverValues(options)
  if ('values' in result) return result.values
  throw new KeyferryError(result.code, result.message, result.next)
}
