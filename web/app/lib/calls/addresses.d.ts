import type { Address, CallName } from '@keyferry/contract/client'

declare global {
  /** The address of each endpoint. The build fills it in (vite.config.ts): the contract's table stays on the server,
   * because its schemas are large. */
  const ADDRESSES: { readonly [N in CallName]: Address<N> }
}
