import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const SERVER = 'http://127.0.0.1:1'
const MODULE = new URL('terminal-key.ts', import.meta.url)
const AT_ONCE = 8

/** A process that makes the key at a moment that all share. */
async function keyMadeIn(folder: string, atMs: number): Promise<string> {
  const script = `import { terminalKey } from '${MODULE.href}'
    while (Date.now() < ${atMs}) {}
    const key = terminalKey('${SERVER}', { env: { XDG_RUNTIME_DIR: '${folder}' }, platform: 'linux' })
    process.stdout.write(key === null ? 'none' : Buffer.from(key).toString('hex'))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  return output
}

test('commands that start at the same time have the same key, and leave one file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-key-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const atMs = Date.now() + 1_000
  const keys = await Promise.all(Array.from({ length: AT_ONCE }, () => keyMadeIn(folder, atMs)))
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set(keys).size).toBe(1)
  expect(readdirSync(join(folder, 'keyferry'))).toHaveLength(1)
})
