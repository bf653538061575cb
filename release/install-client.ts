import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installScript } from '../web/server/client-files/install-script.ts'
import { PACKAGE_FILE, packClient } from './client-package.ts'
import { ARTEFACTS, VERSION } from './places.ts'

// `npm run install-client [-- --to DIR]`: packs the client of this clone, and installs it by the script that servers
// hand out.
packClient()
const file = join(ARTEFACTS, PACKAGE_FILE)
if (process.platform === 'win32') process.stdout.write(`Run: npm install --global ${file}\n`)
else process.exitCode = await install()

async function install(): Promise<number> {
  const sha256 = hash('sha256', readFileSync(file))
  const script = await installScript('install.sh', {
    origin: 'http://127.0.0.1:5393',
    version: VERSION,
    signer: '',
    files: [{ platform: 'package', name: PACKAGE_FILE, sha256 }],
  })
  const { status } = spawnSync('sh', ['-s', '--', '--from', ARTEFACTS, ...process.argv.slice(2)], {
    env: { ...process.env, PATH: pathOfTerminal() },
    input: script,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  return status ?? 1
}

// npm puts the programs of the clone first, and keyferry has to find its Node.js without them.
function pathOfTerminal(): string {
  const places = (process.env['PATH'] ?? '').split(delimiter)
  return places.filter((place) => !/node_modules\/(\.bin|npm\/|node-)/.test(place)).join(delimiter)
}
