declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'

  const PoolClass: typeof Pool
  export = PoolClass
}
