/** The result of one check. `fix` says how to fix it; null if there is nothing to fix. */
export type Finding = {
  readonly about: string
  readonly state: 'good' | 'doubtful' | 'broken'
  readonly what: string
  readonly fix: string | null
}

export function good(about: string, what: string): Finding {
  return { about, state: 'good', what, fix: null }
}

/** It works, but perhaps not as intended. */
export function doubtful(about: string, what: string, fix: string): Finding {
  return { about, state: 'doubtful', what, fix }
}

export function broken(about: string, what: string, fix: string): Finding {
  return { about, state: 'broken', what, fix }
}
