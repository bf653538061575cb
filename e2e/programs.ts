import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

// A test run starts what it has built: that takes a third to half of the processor time.
const isBuilt = process.env['PROGRAMS'] === 'built'

/** The program keyferry-server; where it was built, the bundle. */
export const SERVER_PROGRAM = join(ROOT, 'server/bin/keyferry-server.js')

/** The program keyferry: built, it is the published package. Anything but a test run starts the sources. */
export const CLIENT_PROGRAM = join(ROOT, isBuilt ? 'cli/dist/bin' : 'cli/bin', 'keyferry.js')
