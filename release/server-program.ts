import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleForExecutable } from '../server/build.ts'
import { compile } from './executable.ts'
import { ARTEFACTS, EXECUTABLES, ROOT, VERSION } from './places.ts'

/** The systems that keyferry-server is built for. */
export const SERVER_TARGETS = ['linux-x64', 'linux-arm64'] as const

export type ServerTarget = (typeof SERVER_TARGETS)[number]

// What the server reads, at the same places as in the repository.
const FILES = [
  'LICENSE',
  'web/app/dist',
  'web/server/client-files/install-parts.sh',
  'web/server/client-files/install.sh',
  'web/server/client-files/install.ps1',
  'deploy/keyferry.env.example',
  'deploy/web.env.example',
  'deploy/user/keyferry.service',
]

// They start the server.
const UNITS = ['deploy/keyferry.service', 'deploy/keyferry-server']
const FROM_CLONE = '/usr/bin/env /opt/keyferry/server/bin/keyferry-server.js'
const INSTALLED = '/opt/keyferry/keyferry-server'

// The archive depends on the files only, not on the time, the order or the user.
const TAR = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']

/** Pack keyferry-server as one program with its built pages. The same sources give the same bytes. Needs GNU tar.
 * @returns the name of the archive */
export async function packServer(target: ServerTarget): Promise<string> {
  const name = `keyferry-server-${VERSION}-${target}`
  const folder = join(EXECUTABLES, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'deploy'), { recursive: true })
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  for (const file of UNITS) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    writeFileSync(join(folder, file), text.replaceAll(FROM_CLONE, INSTALLED))
  }
  chmodSync(join(folder, 'deploy/keyferry-server'), 0o755)
  await compileServer(target, join(folder, 'keyferry-server'))
  const archive = `${name}.tar.gz`
  const words = ['-C', EXECUTABLES, ...TAR, '-I', 'gzip -n9', '-cf', join(ARTEFACTS, archive), name]
  execFileSync('tar', words, { stdio: ['ignore', 'inherit', 'inherit'] })
  return archive
}

async function compileServer(target: ServerTarget, outfile: string): Promise<void> {
  const folder = join(EXECUTABLES, 'server')
  const entry = join(folder, 'start.js')
  await bundleForExecutable(join(folder, 'main.js'), target)
  writeFileSync(entry, `import { main } from './main.js'\nawait main(process.argv.slice(2))\n`)
  compile(entry, { target, outfile })
  rmSync(folder, { recursive: true })
}
