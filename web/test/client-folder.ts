import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The version of the test server. */
export const VERSION = '0.0.0-test'

/** A program for a system: it prints its version, as the client does, and else where it comes from. */
export function fakeProgram(name: string, version = VERSION): Buffer {
  return gzipSync(`#!/bin/sh\nif [ "\${1-}" = --version ]; then echo ${version}; else echo ${name}; fi\n`)
}

/** An npm package of the client that does the same with Node.js. */
export function fakePackage(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-fake-package-'))
  mkdirSync(join(folder, 'package/bin'), { recursive: true })
  const text = `#!/usr/bin/env node\nconsole.log(process.argv[2] === '--version' ? '${VERSION}' : 'package')\n`
  writeFileSync(join(folder, 'package/bin/keyferry.js'), text, { mode: 0o755 })
  return execFileSync('tar', ['-czf', '-', '-C', folder, 'package'])
}

/** A folder as `npm run release` writes it. */
export function clientFolder(files: Readonly<Record<string, Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-client-files-'))
  writeFiles(folder, files)
  return folder
}

/** Replace what a folder contains by these files. */
export function writeFiles(folder: string, files: Readonly<Record<string, Buffer>>): void {
  const lines = Object.entries(files).map(([name, bytes]) => {
    writeFileSync(join(folder, name), bytes)
    return `${hash('sha256', bytes)}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}
