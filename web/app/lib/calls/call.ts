import { callsOf } from '../api.ts'
import { ADDRESSES } from './addresses.ts'

/** Calls an endpoint by its name: `call('getKey', { key_id })`. */
export const call = callsOf(ADDRESSES)

/** The endpoints that the app calls. */
export type Called = keyof typeof ADDRESSES
