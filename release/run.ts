import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { billOfMaterials } from './bill-of-materials.ts'
import { CHECKSUMS, writeChecksums } from './checksums.ts'
import { PACKAGE_FILE, packClient } from './client-package.ts'
import { buildExecutable } from './executable.ts'
import { ARTEFACTS, VERSION } from './places.ts'
import { isTarget, TARGET_NAMES, type Target } from './targets.ts'

const USAGE = `npm run release [-- TARGET…]
Builds the client's npm package, the single executables of these targets, a bill of materials and checksums.
Targets: ${TARGET_NAMES.join(', ')}; without one, all; "none" builds no executable.\n`

const words = process.argv.slice(2)
const named = words.filter(isTarget)
if (words.length !== named.length && words.join() !== 'none') {
  process.stderr.write(USAGE)
  process.exit(2)
}

packClient()
const executables: string[] = []
for (const target of words.length === 0 ? TARGET_NAMES : named) {
  process.stdout.write(`${target} …\n`)
  executables.push(compressed(target))
}
const bill = `keyferry-${VERSION}.cdx.json`
writeFileSync(join(ARTEFACTS, bill), await billOfMaterials())
writeChecksums(ARTEFACTS, [PACKAGE_FILE, ...executables, bill])
process.stdout.write(`\n${ARTEFACTS}\n${readFileSync(join(ARTEFACTS, CHECKSUMS), 'utf8')}`)

function compressed(target: Target): string {
  const path = buildExecutable(target)
  const name = basename(path).replace(/^keyferry-/, `keyferry-${VERSION}-`)
  const bytes = gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION })
  writeFileSync(join(ARTEFACTS, `${name}.gz`), bytes)
  return `${name}.gz`
}
