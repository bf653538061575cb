import type { Parts } from '../base/parts.ts'
import { terminalStyle } from '../terminal/terminal-style.ts'

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

const SIGNS = { good: 'ok  ', doubtful: 'note', broken: 'FAIL' } as const

/** The findings as a person reads them, one a line. */
export function findingsText(
  findings: readonly Finding[],
  { stdout, env, platform }: Pick<Parts, 'stdout' | 'env' | 'platform'>,
): string {
  const style = terminalStyle(stdout, env, platform)
  return findings
    .map(({ state, about, what, fix }) => {
      const line = `${state === 'broken' ? style.bold(SIGNS[state]) : SIGNS[state]}  ${about}: ${what}\n`
      return fix === null ? line : `${line}      ${fix}\n`
    })
    .join('')
}
