import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { PUBLISHER_KEY } from '@keyferry/crypto/signed-sums'
import { installScript } from '../web/server/client-files/install-script.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { CHECKSUMS, signChecksums, writeChecksums } from './checksums.ts'
import { PACKAGE_FILE, packClient } from './client-package.ts'
import { buildExecutable } from './executable.ts'
import { ARTEFACTS, ROOT, VERSION } from './places.ts'
import { packServer, SERVER_TARGETS } from './server-program.ts'
import { type ReleaseTarget, TARGET_NAMES } from './targets.ts'
import { vulnerabilityStatements } from './vulnerabilities.ts'

/** `platform`: what the installer calls it; null: the installer does not fetch it. */
type ReleasedFile = { platform: string | null; name: string }

const SERVERS = SERVER_TARGETS.map((target) => `server-${target}` as const)

const USAGE = `npm run release [-- TARGET…]
Builds the client's npm package, the programs of these targets, bills of materials and checksums.
RELEASE_KEY_FILE names the secret key of minisign that signs the checksums. RELEASE_URL is where the files will be.
Targets: ${[...TARGET_NAMES, ...SERVERS].join(', ')};
without one, all; "none" builds no program; "sign" signs what was built.\n`

const words = process.argv.slice(2)
const isWanted = (target: string) => words.length === 0 || words.includes(target)
const clients = TARGET_NAMES.filter(isWanted)
const servers = SERVER_TARGETS.filter((target) => isWanted(`server-${target}`))
if (words.length > clients.length + servers.length && !['none', 'sign'].includes(words.join())) {
  process.stderr.write(USAGE)
  process.exit(2)
}

if (words.join() === 'sign') {
  sign()
  process.exit()
}
packClient()
const files: ReleasedFile[] = [{ platform: 'package', name: PACKAGE_FILE }]
for (const target of clients) {
  process.stdout.write(`${target} …\n`)
  files.push(...compressed(target))
}
// In a process of its own: Vite changes NODE_ENV.
if (servers.length > 0) execFileSync('npm', ['run', '--silent', 'build', '--workspace', 'web'], { cwd: ROOT })
for (const target of servers) {
  process.stdout.write(`server-${target} …\n`)
  files.push({ platform: `server-${target}`, name: await packServer(target) })
}
if (servers.length > 0) files.push(await writeInstaller())
const bill = `keyferry-${VERSION}.cdx.json`
const vex = `keyferry-${VERSION}.openvex.json`
writeFileSync(join(ARTEFACTS, bill), await billOfMaterials())
writeFileSync(join(ARTEFACTS, vex), vulnerabilityStatements(readFileSync(join(ARTEFACTS, bill), 'utf8')))
writeChecksums(ARTEFACTS, [...files.map(({ name }) => name), bill, vex])
if (process.env['RELEASE_KEY_FILE'] !== undefined) sign()
process.stdout.write(`\n${ARTEFACTS}\n${readFileSync(join(ARTEFACTS, CHECKSUMS), 'utf8')}`)

function sign(): void {
  const keyFile = process.env['RELEASE_KEY_FILE'] ?? ''
  signChecksums(ARTEFACTS, { keyFile, publisherKey: PUBLISHER_KEY, version: VERSION, now: new Date() })
}

/** Write the script that installs the server, and the client's files that a new server hands out. */
async function writeInstaller(): Promise<ReleasedFile> {
  const name = 'install-server.sh'
  const named = files.flatMap(({ platform, name: file }) =>
    platform === null
      ? []
      : [{ platform, name: file, sha256: hash('sha256', readFileSync(join(ARTEFACTS, file))) }],
  )
  const origin = process.env['RELEASE_URL'] ?? ''
  const parts = { origin, version: VERSION, files: named, signer: PUBLISHER_KEY ?? '' }
  writeFileSync(join(ARTEFACTS, name), await installScript(name, parts, import.meta.dirname))
  return { platform: null, name }
}

function compressed(target: ReleaseTarget): readonly ReleasedFile[] {
  const path = buildExecutable(target)
  const name = `${basename(path).replace(/^keyferry-/, `keyferry-${VERSION}-`)}.gz`
  const bytes = gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION })
  writeFileSync(join(ARTEFACTS, name), bytes)
  return [
    { platform: null, name: relative(ARTEFACTS, path) },
    { platform: target, name },
  ]
}
