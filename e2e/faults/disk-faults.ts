import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deployment } from './deployment.ts'

/** Something wrong with the disk that begins and ends while a deployment runs. */
export type DiskFault = {
  readonly name: string
  begin(deployment: Deployment): Promise<void>
  end(): Promise<void>
}

// A write-ahead log may grow to 4 MiB before SQLite moves it into the database: without the ballast all of it must fit.
const SMALL_DISK_MIB = 24
const BLOCK = Buffer.alloc(64 * 1_024, 1)
const STRACE_READY = /attached/

/** A file system of a few MiB, mounted for this run; null, and said so, where this user may not mount one. */
export function smallDisk(): { path: string; dataDir: string; [Symbol.dispose](): void } | null {
  const path = mkdtempSync(join(tmpdir(), 'keyferry-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_MIB}m`, 'tmpfs', path])
  if (status !== 0) {
    rmSync(path, { recursive: true })
    console.warn('SKIPPED: full disk, because this user may not mount a small file system')
    return null
  }
  const dataDir = join(path, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const remove = () => {
    spawnSync('umount', ['-l', path])
    rmSync(path, { recursive: true, force: true })
  }
  return { path, dataDir, [Symbol.dispose]: remove }
}

/** Fills the disk to its last block with a file. */
export function fullDisk(disk: { path: string }): DiskFault {
  const ballast = openSync(join(disk.path, 'ballast'), 'w')
  return {
    name: 'full disk',
    begin: async () => fillWith(ballast),
    end: async () => {
      ftruncateSync(ballast, 0)
      closeSync(ballast)
    },
  }
}

function fillWith(file: number): void {
  for (let length = BLOCK.length; length >= 1; length = Math.floor(length / 2)) {
    try {
      for (;;) writeSync(file, BLOCK, 0, length)
    } catch {
      // Full for this length; a shorter one may still fit.
    }
  }
}

/** System calls of the server that fail with an error for a while; null, and said so, where strace cannot do it. */
export function failingCalls(calls: string, error: 'EIO' | 'ENOSPC'): DiskFault | null {
  const probe = spawnSync('strace', ['-e', 'inject=fsync:error=EIO', '-o', '/dev/null', 'true'])
  if (probe.status !== 0) {
    if (process.env['CI']) throw new Error('strace does not work, and CI may not skip its tests')
    console.warn(`SKIPPED: ${calls} failing with ${error}, because strace is not there or may not trace`)
    return null
  }
  let detach: (() => Promise<void>) | null = null
  return {
    name: `${calls} failing with ${error}`,
    begin: async (deployment) => {
      const { pid } = deployment.member('all')
      const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`]
      const strace = spawn('strace', ['-f', '-p', String(pid), ...inject, '-o', '/dev/null'])
      const gone = once(strace, 'exit')
      await attached(strace)
      detach = async () => {
        strace.kill('SIGINT')
        await gone
      }
    },
    end: async () => detach?.(),
  }
}

function attached(strace: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let said = ''
  strace.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
    if (STRACE_READY.test(said)) resolve()
  })
  strace.once('exit', () => reject(new Error(`strace did not attach: ${said}`)))
  return promise
}
