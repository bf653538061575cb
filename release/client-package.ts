import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
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
    setModes(folder)
    const args = ['pack', '--silent', '--pack-destination', folder]
    const name = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: [...stdio] }).trim()
    renameSync(join(folder, name), join(into, PACKAGE_FILE))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// Modes are part of the package. Those of new files follow from the umask, and those of copies from their originals.
function setModes(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isProgram = entry.isDirectory() || path.startsWith(join(folder, 'bin/'))
    chmodSync(path, isProgram ? 0o755 : 0o644)
  }
}
