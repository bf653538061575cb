export { type EnvEntry, EnvParseError, parseEnv } from './parse.ts'
export { EnvWriteError, writeEnv } from './write.ts'
