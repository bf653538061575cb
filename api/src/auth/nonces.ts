/** Remembers used nonces, so that a recorded call cannot be replayed. */
export interface NonceStore {
  /** True for the first use within `seconds`, false for any later one. */
  useOnce(nonce: string, seconds: number): Promise<boolean>
}

/** For a single process. Only signed calls add nonces, so the set grows with traffic. */
export function createMemoryNonces(nowMs: () => number): NonceStore {
  let current = new Set<string>()
  let previous = new Set<string>()
  let turnsAt = 0
  return {
    async useOnce(nonce, seconds) {
      if (nowMs() >= turnsAt) {
        previous = nowMs() >= turnsAt + seconds * 1000 ? new Set() : current
        current = new Set()
        turnsAt = nowMs() + seconds * 1000
      }
      if (current.has(nonce) || previous.has(nonce)) return false
      current.add(nonce)
      return true
    },
  }
}

/** For nodes that share a store. `setOnce` keeps a name for some seconds and tells whether it is new. */
export function createSharedNonces(setOnce: (name: string, seconds: number) => Promise<boolean>): NonceStore {
  return { useOnce: (nonce, seconds) => setOnce(`keyferry:nonce:${nonce}`, seconds) }
}
