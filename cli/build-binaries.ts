import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const HERE = import.meta.dirname
// Not a dependency: it is larger than all others together, and only this build needs it.
const BUN = 'bun@1.4.4'
const TARGETS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64']

// Single-file executables, for the systems named on the command line or for all. `--bytecode` is what makes them start
// faster than Node itself.
const wanted = process.argv.slice(2)
for (const target of wanted.length === 0 ? TARGETS : wanted) {
  if (!TARGETS.includes(target)) throw new Error(`no target ${target}; there are ${TARGETS.join(', ')}`)
  build(target)
}

function build(target: string): void {
  const outfile = join(HERE, 'dist-binaries', `keyferry-${target}`)
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm', `--target=bun-${target}`]
  const bun = ['exec', '--yes', `--package=${BUN}`, '--', 'bun', 'build', ...flags]
  execFileSync('npm', [...bun, join(HERE, 'bin', 'keyferry.js'), `--outfile=${outfile}`], {
    stdio: 'inherit',
  })
}
