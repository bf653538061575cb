import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { stateFolder } from '../state/state-folder.ts'
import { broken, doubtful, type Finding, good } from './finding.ts'

const OTHERS = 0o077

/** Check who else can read the files that contain secrets or keys. */
export function examineFiles(parts: Parts): readonly Finding[] {
  if (parts.platform === 'win32') return [] // no file modes
  return [...stateFindings(parts), ...envFindings(parts)]
}

function stateFindings(parts: Parts): Finding[] {
  const folder = stateFolder(parts)
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return []
  if (stats.uid !== process.getuid?.()) {
    return [
      broken('state', `${printable(folder)} belongs to another user`, 'Remove it, or set XDG_STATE_HOME.'),
    ]
  }
  return [good('state', printable(folder))]
}

function envFindings({ cwd }: Parts): Finding[] {
  return ['.env', '.env.local'].flatMap((name) => {
    const stats = lstatSync(join(cwd, name), { throwIfNoEntry: false })
    if (stats === undefined || (stats.mode & OTHERS) === 0) return []
    const mode = (stats.mode & 0o777).toString(8)
    return [
      doubtful(
        name,
        `other users of this machine may read it (mode ${mode})`,
        `Run chmod 600 ${name}, or import the file and delete it.`,
      ),
    ]
  })
}
