import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasPrograms } from '../../../plumbing/test/programs.ts'
import { writeOutputFile } from './output-file.ts'

const NOBODY = 65_534
const canChangeUser = process.platform === 'linux' && process.getuid?.() === 0
if (!canChangeUser) console.warn('SKIPPED: only root can write as a user who may not list a folder')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-output-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The name of a draft, as a client leaves it that is killed before it renames it. */
async function leftDraft(file: string): Promise<string> {
  const names = new Set<string>()
  const watcher = watch(folder, (_event, name) => names.add(String(name)))
  writeOutputFile({ path: join(folder, file), mayReplace: true }, 'SECRET=1')
  await expect.poll(() => [...names].some((name) => name !== file)).toBe(true)
  watcher.close()
  const [draft = ''] = [...names].filter((name) => name !== file)
  writeFileSync(join(folder, draft), 'SECRET=1')
  return draft
}

const age = (name: string, seconds: number) => {
  const then = Date.now() / 1_000 - seconds
  utimesSync(join(folder, name), then, then)
}

describe('a draft', () => {
  test.each([
    ['.env', '.env*'],
    ['.env', '.env.*'],
    ['.env.local', '.env*.local'],
    ['prod.env', '*.env'],
    ['secrets.json', 'secrets*.json'],
    [`.env-${'x'.repeat(240)}`, '.env*'],
  ])('of %s is ignored by git where the pattern is %s', async (file, pattern) => {
    spawnSync('git', ['init', '-q', folder])
    writeFileSync(join(folder, '.gitignore'), pattern)
    const draft = await leftDraft(file)
    expect(spawnSync('git', ['-C', folder, 'check-ignore', draft]).status).toBe(0)
  })

  test('that a killed client left is removed a minute later; those of others stay', async () => {
    const path = join(folder, '.env')
    const [draft, other] = [await leftDraft('.env'), await leftDraft('.env.local')]
    writeFileSync(join(folder, '.env.keyferry-notes'), 'a note')
    for (const name of [draft, other, '.env.keyferry-notes']) age(name, 50)
    writeOutputFile({ path, mayReplace: true }, 'SECRET=2')
    expect(existsSync(join(folder, draft))).toBe(true)
    for (const name of [draft, other, '.env.keyferry-notes']) age(name, 70)
    writeOutputFile({ path, mayReplace: true }, 'SECRET=3')
    expect(readdirSync(folder).toSorted()).toEqual(
      ['.env', '.env.keyferry-notes', '.env.local', other].toSorted(),
    )
    expect(readFileSync(path, 'utf8')).toBe('SECRET=3')
  })
})

/** What a program that writes the file prints as an error.
 * @param before starts it */
function written(before: readonly string[], mayReplace = true, account = {}): string {
  const script = `import(process.argv[1]).then(({ writeOutputFile: write }) =>
    write({ path: process.argv[2], mayReplace: ${mayReplace} }, 'SECRET=1'))`
  const program = [
    process.execPath,
    '-e',
    script,
    join(import.meta.dirname, 'output-file.ts'),
    join(folder, '.env'),
  ]
  const [command = '', ...args] = [...before, ...program]
  return spawnSync(command, args, { encoding: 'utf8', ...account }).stderr
}

const failing = (code: string) =>
  ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync', '-e', `inject=fsync:error=${code}`] as const

describe('a file that is whole', () => {
  test.skipIf(!hasPrograms('strace')).each(['EINVAL', 'EOPNOTSUPP', 'ENOSYS'])(
    'needs no fsync where the system says %s',
    (code) => {
      expect(written(failing(code))).toBe('')
      expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('SECRET=1')
    },
  )

  test.skipIf(!hasPrograms('strace'))('is not there if the disk fails', () => {
    expect(written(failing('EIO'))).toContain('EIO')
    expect(readdirSync(folder)).toEqual([])
  })

  test.skipIf(!canChangeUser)('needs no folder that can be listed', () => {
    chmodSync(folder, 0o300)
    chownSync(folder, NOBODY, NOBODY)
    expect(written([], false, { uid: NOBODY, gid: NOBODY })).toBe('')
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('SECRET=1')
  })
})
