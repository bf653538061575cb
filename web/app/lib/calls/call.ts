import { type Address, type CallName, createNamedClient } from '@keyferry/contract/client'
import { fetchTimed } from './api.ts'

/** The endpoints that the app can call. */
export type Called = CallName

// Filled in by the build (vite.config.ts): the contract's table stays on the server, because its schemas are large.
declare const ADDRESSES: { readonly [N in Called]: Address<N> }

/** The path of an endpoint: `/api/v1/keys/{key_id}`. */
export const pathOf = (name: Called): string => ADDRESSES[name].replace(/^\w+ /, '')

/** Calls an endpoint by its name: `call('getKey', { key_id })`. */
export const call = createNamedClient<Called>(ADDRESSES, fetchTimed)
