import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

// A test run starts what it has built: that takes a third to half of the processor time.
const isBuilt = process.env['PROGRAMS'] === 'built'

/** The program keyferry-server; where it was built, the bundle. */
export const SERVER_PROGRAM = join(ROOT, 'server/bin/keyferry-server.js')

/** What starts the server. KEYFERRY_SERVER_UNDER_TEST names another build of it: a single executable. */
export const SERVER_COMMAND: readonly [string, ...string[]] = process.env['KEYFERRY_SERVER_UNDER_TEST']
  ? [process.env['KEYFERRY_SERVER_UNDER_TEST']]
  : [process.execPath, SERVER_PROGRAM]

/** The program keyferry: built, it is the published package. Anything but a test run starts the sources. */
export const CLIENT_PROGRAM = join(ROOT, isBuilt ? 'cli/dist/bin' : 'cli/bin', 'keyferry.js')
