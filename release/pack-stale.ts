import { join } from 'node:path'
import { isStale } from '../web/stale.ts'
import { CHECKSUMS, writeChecksums } from './checksums.ts'
import { PACKAGE_FILE, packClient } from './client-package.ts'
import { ARTEFACTS, ROOT } from './places.ts'

const SOURCES = ['cli/bin', 'cli/src', 'cli/build.ts', 'cli/package.json', 'contract/src', 'crypto/src']

// Before `npm start`: packs the client where that has not been done, or a source is newer. Executables of an older
// client are no longer listed, so the server does not hand them out.
if (
  isStale(
    join(ARTEFACTS, CHECKSUMS),
    SOURCES.map((place) => join(ROOT, place)),
  )
) {
  process.stdout.write('Packing the client …\n')
  packClient()
  writeChecksums(ARTEFACTS, [PACKAGE_FILE])
}
