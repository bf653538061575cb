import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PROGRAM = join(import.meta.dirname, 'dev-server.ts')

// With `--seed` the data folder is a separate one, which has the library of the screenshots.
const isSeeded = process.argv.includes('--seed')
const env = { ...(isSeeded ? { DATA_DIR: join(ROOT, 'data/seeded') } : {}), ...process.env }

// The seed must not reach another server that has the port.
const { HOST = '127.0.0.1', PORT = '5393' } = process.env
try {
  const probe = createServer().listen(Number(PORT), HOST)
  await once(probe, 'listening')
  probe.close()
} catch (error) {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
  process.stderr.write(`Port ${PORT} is in use. Stop what runs there, or set PORT to another one.\n`)
  process.exit(1)
}

// Rebuild the app and restart the server when their sources change, until one of the two ends or Ctrl-C. The server
// serves the pages as in production, with the same content security policy.
const children = [
  spawn('npm', ['run', 'build', '--workspace', 'web', '--', '--watch'], { cwd: ROOT, stdio: 'inherit' }),
  spawn(process.execPath, ['--watch', '--watch-preserve-output', PROGRAM], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  }),
]
if (isSeeded) spawn(process.execPath, [join(ROOT, 'e2e/seed.ts')], { env, stdio: 'inherit' })
for (const child of children) child.once('exit', () => stopAll())
process.once('SIGTERM', stopAll)
process.once('SIGINT', stopAll)

function stopAll(): void {
  for (const child of children) child.kill('SIGTERM')
}
