import { EnvError, parseEnv, writeEnv } from '@keyferry/contract/env'
import * as fc from 'fast-check'
import { hostileMap, hostileValue } from '../hostile-maps.ts'

const SYNTAX = fc.constantFrom(
  'A=',
  'B_2 = ',
  "'",
  '"',
  '\\',
  '\n',
  '\r\n',
  '#',
  '=',
  ' ',
  '\t',
  'export ',
  '$',
  '\ufeff',
  '\0',
)
const text = fc.array(fc.oneof(SYNTAX, hostileValue), { maxLength: 12 }).map((parts) => parts.join(''))

/** Check that every map is read back as it was written, and that any text is either read or refused with a line number;
 * what was read and is written again reads the same. So many runs of each.
 * @throws Error with the smallest text that breaks this, and the seed that finds it again */
export function fuzzEnvText(runs: number): void {
  fc.assert(fc.property(hostileMap, isReadBack), { numRuns: runs })
  fc.assert(fc.property(text, isReadOrRefused), { numRuns: runs })
}

function isReadBack(map: readonly (readonly [string, string])[]): boolean {
  return sameEntries(parseEnv(writeEnv(map)), map)
}

function isReadOrRefused(given: string): boolean {
  try {
    const last = new Map(parseEnv(given).map(({ name, value }) => [name, value]))
    const storable = [...last].filter(([name]) => !/^\d/.test(name))
    return sameEntries(parseEnv(writeEnv(storable)), storable)
  } catch (error) {
    return error instanceof EnvError && (error.line ?? 0) >= 1
  }
}

function sameEntries(
  entries: readonly { name: string; value: string }[],
  expected: readonly (readonly [string, string])[],
): boolean {
  return (
    entries.length === expected.length &&
    entries.every(({ name, value }, at) => name === expected[at]?.[0] && value === expected[at][1])
  )
}
