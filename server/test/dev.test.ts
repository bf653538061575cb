import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const DEV = join(import.meta.dirname, '../dev.ts')

test.each([[[]], [['--seed']]])(
  'npm run dev -- %s leaves another server on its port alone',
  async (words: string[]) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const env = { ...process.env, PORT: String(port) }
    const { status, stderr } = spawnSync(process.execPath, [DEV, ...words], { env, encoding: 'utf8' })
    other.close()
    expect([status, stderr]).toEqual([
      1,
      `Port ${port} is in use. Stop what runs there, or set PORT to another one.\n`,
    ])
  },
)
