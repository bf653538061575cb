import { join } from 'node:path'
import manifest from '../cli/package.json' with { type: 'json' }

export const ROOT = join(import.meta.dirname, '..')

export const VERSION: string = manifest.version

/** What a release consists of, and what a server hands out by default. */
export const ARTEFACTS = join(import.meta.dirname, 'dist')

/** The single executables before they are compressed. */
export const EXECUTABLES = join(ARTEFACTS, 'executables')

/** The runtimes that executables are built from. */
export const RUNTIMES = join(ARTEFACTS, 'runtimes')
