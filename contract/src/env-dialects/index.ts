export { EnvDialectError, type ImportEntry, type ImportText } from './import-text.ts'
export { parseEnvDialect } from './parse-env-dialect.ts'
export { parseJsonDialect, readJsonEntry } from './parse-json-dialect.ts'
export { readImport } from './read-import.ts'
