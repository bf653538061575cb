import { relative } from 'node:path'
import { buildIfStale } from '../web/stale.ts'
import { CHECKSUMS, writeChecksums } from './checksums.ts'
import { PACKAGE_FILE, packClient } from './client-package.ts'
import { ARTEFACTS, ROOT } from './places.ts'

const built = `${relative(ROOT, ARTEFACTS)}/${CHECKSUMS}`
const sources = ['cli/bin', 'cli/src', 'cli/build.ts', 'cli/package.json', 'contract/src', 'crypto/src']

// Before `npm start`. Executables of an older client are no longer listed, so the server does not hand them out.
await buildIfStale({ built, sources, says: 'Packing the client' }, async () => {
  packClient()
  writeChecksums(ARTEFACTS, [PACKAGE_FILE])
})
