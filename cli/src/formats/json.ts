import type { Format } from './format.ts'

/** One object of names and values; holds everything. */
export const json: Format = {
  whyNot: () => null,
  write: (values) => `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`,
}
