import type { Settings } from './setting-table.ts'

/** One command for the operator of a database. */
export type Maintenance = {
  readonly means: string
  /** The name of its argument in the usage, when it takes one; in brackets when it may be left out. With `…` it takes
   * several, separated by spaces. */
  readonly argument?: string
  /** The argument is the value of this option. */
  readonly option?: 'to' | 'recipients'
  /** @param argument empty when none is given
   * @param print writes to standard output at once
   * @returns the text to print at the end, and whether everything is in order; `next`: what to do then, for stderr */
  run(
    settings: Settings,
    argument: string,
    print: (text: string) => void,
  ): Promise<{ text: string; isWell: boolean; next?: string }>
}

export function well(text: string): { text: string; isWell: boolean } {
  return { text, isWell: true }
}
