import { join } from 'node:path'
import { isStale } from './stale.ts'

const APP = join(import.meta.dirname, 'app')
const BUILT = join(APP, 'dist', 'index.html')

/** What the built app is made from, besides its dependencies. */
const SOURCES = [
  APP,
  join(import.meta.dirname, '../contract/src'),
  // The files that the pages of machines and webhooks show.
  join(import.meta.dirname, '../deploy/ci'),
  join(import.meta.dirname, '../deploy/webhooks'),
  join(import.meta.dirname, 'package.json'),
  join(import.meta.dirname, 'build.ts'),
]

// Before `npm start`: builds the browser app where nothing is built yet, or what is built is older than a source.
if (isStale(BUILT, SOURCES)) {
  process.stdout.write('Building the browser app …\n')
  const { buildPages } = await import('./build.ts')
  await buildPages('warn')
}
