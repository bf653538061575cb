import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

// A test run starts what it has built: that takes a third to half of the processor time. Anything else starts the
// sources.
const isBuilt = process.env['PROGRAMS'] === 'built'

/** The program keyferry-server. */
export const SERVER_PROGRAM = join(ROOT, isBuilt ? 'e2e/dist' : 'server/bin', 'keyferry-server.js')

/** The program keyferry: built, it is the published package. */
export const CLIENT_PROGRAM = join(ROOT, isBuilt ? 'cli/dist/bin' : 'cli/bin', 'keyferry.js')
