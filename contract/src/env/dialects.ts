/** What an import can take a text for, when it is not JSON. */
export const DIALECT_NAMES = ['dotenv', 'shell', 'compose'] as const

export type Dialect = (typeof DIALECT_NAMES)[number]

export function isDialect(text: string): text is Dialect {
  return DIALECT_NAMES.some((name) => name === text)
}
