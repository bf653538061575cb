import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { ARTEFACTS, ROOT, VERSION } from './places.ts'

/** The name of the client's npm package as a file. */
export const PACKAGE_FILE = `keyferry-${VERSION}.tgz`

/** Build the npm package of the client, and pack it into the artefacts. The same sources give the same bytes. */
export function packClient(): void {
  const dist = join(ROOT, 'cli/dist')
  execFileSync(process.execPath, [join(ROOT, 'cli/build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] })
  mkdirSync(ARTEFACTS, { recursive: true })
  const args = ['pack', '--silent', '--pack-destination', ARTEFACTS]
  const name = execFileSync('npm', args, {
    cwd: dist,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  renameSync(join(ARTEFACTS, name.trim()), join(ARTEFACTS, PACKAGE_FILE))
}
