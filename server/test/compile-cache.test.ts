import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Program, temporaryFolder } from './program.ts'

test('compiled code is kept in a folder of the account, never in the shared one', async () => {
  const { path, remove } = temporaryFolder()
  const [home, shared] = [join(path, 'home'), join(path, 'tmp')]
  for (const folder of [home, shared]) mkdirSync(folder)
  const program = new Program({ HOME: home, TMPDIR: shared, DATA_DIR: join(path, 'data') })
  await program.ready()
  await program.stop()
  expect(readdirSync(shared)).toEqual([])
  expect(existsSync(join(home, '.cache/keyferry'))).toBe(true)
  remove()
})
