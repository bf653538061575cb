import { spawn } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PROGRAM = join(import.meta.dirname, 'bin/keyferry-server.js')

// Both run until one of them ends or Ctrl-C ends all: the app is built again when a source changes, and the server
// starts again when one of its own does. The pages are served as in production, content security policy and all.
const children = [
  spawn('npm', ['run', 'build', '--workspace', 'web', '--', '--watch'], { cwd: ROOT, stdio: 'inherit' }),
  spawn(process.execPath, ['--watch', '--watch-preserve-output', PROGRAM], { cwd: ROOT, stdio: 'inherit' }),
]
for (const child of children) child.once('exit', () => stopAll())
process.once('SIGTERM', stopAll)
process.once('SIGINT', stopAll)

function stopAll(): void {
  for (const child of children) child.kill('SIGTERM')
}
