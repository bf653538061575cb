/** One thing that was looked at. `mend` says what to do about it; null where there is nothing to do. */
export type Finding = {
  readonly about: string
  readonly state: 'good' | 'doubtful' | 'broken'
  readonly what: string
  readonly mend: string | null
}

export function good(about: string, what: string): Finding {
  return { about, state: 'good', what, mend: null }
}

/** It works, but perhaps not as meant. */
export function doubtful(about: string, what: string, mend: string): Finding {
  return { about, state: 'doubtful', what, mend }
}

export function broken(about: string, what: string, mend: string): Finding {
  return { about, state: 'broken', what, mend }
}
