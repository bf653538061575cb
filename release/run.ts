import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { PUBLISHER_KEY } from '@keyferry/crypto/signed-sums'
import { billOfMaterials } from './bill-of-materials.ts'
import { CHECKSUMS, signChecksums, writeChecksums } from './checksums.ts'
import { PACKAGE_FILE, packClient } from './client-package.ts'
import { buildExecutable } from './executable.ts'
import { ARTEFACTS, VERSION } from './places.ts'
import { isTarget, type ReleaseTarget, TARGET_NAMES } from './targets.ts'
import { vulnerabilityStatements } from './vulnerabilities.ts'

const USAGE = `npm run release [-- TARGET…]
Builds the client's npm package, the single executables of these targets, a bill of materials and checksums.
RELEASE_KEY_FILE names the secret key of minisign that signs the checksums.
Targets: ${TARGET_NAMES.join(', ')}; without one, all; "none" builds no executable; "sign" signs what was built.\n`

const words = process.argv.slice(2)
const named = words.filter(isTarget)
if (words.length !== named.length && !['none', 'sign'].includes(words.join())) {
  process.stderr.write(USAGE)
  process.exit(2)
}

if (words.join() === 'sign') {
  sign()
  process.exit()
}
packClient()
const executables: string[] = []
for (const target of words.length === 0 ? TARGET_NAMES : named) {
  process.stdout.write(`${target} …\n`)
  executables.push(...compressed(target))
}
const bill = `keyferry-${VERSION}.cdx.json`
const vex = `keyferry-${VERSION}.openvex.json`
writeFileSync(join(ARTEFACTS, bill), await billOfMaterials())
writeFileSync(join(ARTEFACTS, vex), vulnerabilityStatements(readFileSync(join(ARTEFACTS, bill), 'utf8')))
writeChecksums(ARTEFACTS, [PACKAGE_FILE, ...executables, bill, vex])
if (process.env['RELEASE_KEY_FILE'] !== undefined) sign()
process.stdout.write(`\n${ARTEFACTS}\n${readFileSync(join(ARTEFACTS, CHECKSUMS), 'utf8')}`)

function sign(): void {
  const keyFile = process.env['RELEASE_KEY_FILE'] ?? ''
  signChecksums(ARTEFACTS, { keyFile, publisherKey: PUBLISHER_KEY, version: VERSION, now: new Date() })
}

function compressed(target: ReleaseTarget): readonly string[] {
  const path = buildExecutable(target)
  const name = basename(path).replace(/^keyferry-/, `keyferry-${VERSION}-`)
  const bytes = gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION })
  writeFileSync(join(ARTEFACTS, `${name}.gz`), bytes)
  return [relative(ARTEFACTS, path), `${name}.gz`]
}
