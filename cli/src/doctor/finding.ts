/** The result of one check. `mend` says how to fix it; null if there is nothing to fix. */
export type Finding = {
  readonly about: string
  readonly state: 'good' | 'doubtful' | 'broken'
  readonly what: string
  readonly mend: string | null
}

export function good(about: string, what: string): Finding {
  return { about, state: 'good', what, mend: null }
}

/** It works, but perhaps not as intended. */
export function doubtful(about: string, what: string, mend: string): Finding {
  return { about, state: 'doubtful', what, mend }
}

export function broken(about: string, what: string, mend: string): Finding {
  return { about, state: 'broken', what, mend }
}
