import type { Format } from '../format.ts'

/** One object of names and values. It holds everything. */
export const json: Format = {
  summary: 'one JSON object',
  asked: 'sh',
  whyNot: () => null,
  write: (variables) => `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`,
  grammar: null,
}
