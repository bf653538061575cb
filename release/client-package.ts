import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ARTEFACTS, ROOT, VERSION } from './places.ts'

/** The name of the client's npm package as a file. */
export const PACKAGE_FILE = `keyferry-${VERSION}.tgz`

/** Build the npm package of the client, and pack it into a folder. The same sources give the same bytes. */
export function packClient(into: string = ARTEFACTS): void {
  mkdirSync(into, { recursive: true })
  const folder = mkdtempSync(join(into, 'new-'))
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  try {
    execFileSync(process.execPath, [join(ROOT, 'cli/build.ts'), folder], { stdio: [...stdio] })
    const args = ['pack', '--silent', '--pack-destination', folder]
    const name = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: [...stdio] }).trim()
    renameSync(join(folder, name), join(into, PACKAGE_FILE))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
