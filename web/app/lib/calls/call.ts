import { createNamedClient } from '@keyferry/contract/client'
import { ADDRESSES } from './addresses.ts'
import { fetchTimed } from './api.ts'

/** Calls an endpoint by its name: `call('getKey', { key_id })`. */
export const call = createNamedClient(ADDRESSES, fetchTimed)

/** The endpoints that the app calls. */
export type Called = keyof typeof ADDRESSES
