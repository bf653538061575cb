import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasPrograms } from '../../../plumbing/test/programs.ts'
import { publish, requireWritable, tryFile, writeOutputFile } from './output-file.ts'
import { openPrivateFolder } from './private-folder.ts'

const NOBODY = 65_534
const canChangeUser = process.platform === 'linux' && process.getuid?.() === 0
if (!canChangeUser) console.warn('SKIPPED: only root can write as a user who may not list a folder')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-output-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Creates the draft that a client leaves behind if it is killed before the rename. Returns its name. */
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

const at = (name: string) => join(folder, name)

const check = (name: string, mayReplace = false) => requireWritable({ path: at(name), mayReplace })

describe('an output file', () => {
  beforeEach(() => {
    mkdirSync(at('sub'))
    writeFileSync(at('file'), 'old')
    symlinkSync('/dev/null', at('device'))
  })

  test('is checked before the request, but not written', () => {
    check('new')
    check('file', true)
    expect(readdirSync(folder).toSorted()).toEqual(['device', 'file', 'sub'])
    expect(readFileSync(at('file'), 'utf8')).toBe('old')
  })

  test.each([
    ['sub', true, 'it is a folder', 'Use a file inside it.'],
    [
      'device',
      true,
      'it is a device or a pipe',
      'Use the name of a file, or redirect standard output to it.',
    ],
    ['file', false, 'it already exists', 'Use another file name, or overwrite the file with --force.'],
    [
      'none/new',
      false,
      'ENOENT',
      'Check that its folder exists, that you can write to it, and that its disk has space.',
    ],
  ])('%s with mayReplace=%s is refused: %s', (name, mayReplace, why, next) => {
    expect(() => check(name, mayReplace)).toThrow(
      expect.objectContaining({ exitCode: 1, message: `${at(name)} cannot be written: ${why}`, next }),
    )
  })

  // Nobody can create a file in /sys, not even root.
  test.skipIf(process.platform !== 'linux')('is refused with the reason of the system', () => {
    const said = expect.stringMatching(/ cannot be written: (?:EACCES|EPERM|EROFS)$/)
    const output = { path: '/sys/keyferry', mayReplace: false }
    for (const act of [() => requireWritable(output), () => writeOutputFile(output, 'x')])
      expect(act).toThrow(expect.objectContaining({ message: said }))
  })

  test('has mode 600, replaces a link but not its target, and replaces a file only if that is allowed', () => {
    symlinkSync('file', at('link'))
    chmodSync(at('file'), 0o644)
    writeOutputFile({ path: at('new'), mayReplace: false }, 'new')
    writeOutputFile({ path: at('link'), mayReplace: true }, 'linked')
    expect([readFileSync(at('new'), 'utf8'), readFileSync(at('link'), 'utf8')]).toEqual(['new', 'linked'])
    expect([lstatSync(at('link')).isFile(), readFileSync(at('file'), 'utf8')]).toEqual([true, 'old'])
    expect([statSync(at('new')).mode & 0o777, statSync(at('link')).mode & 0o777]).toEqual([0o600, 0o600])
    expect(() => writeOutputFile({ path: at('file'), mayReplace: false }, 'x')).toThrow('it already exists')
    expect(() => writeOutputFile({ path: at('device'), mayReplace: true }, 'x')).toThrow('a device or a pipe')
    expect(() => writeOutputFile({ path: at('none/new'), mayReplace: true }, 'x')).toThrow(
      expect.objectContaining({ next: 'No partial file remains. Check the disk and the folder.' }),
    )
    expect(readFileSync(at('file'), 'utf8')).toBe('old')
    expect(readdirSync(folder).toSorted()).toEqual(['device', 'file', 'link', 'new', 'sub'])
  })

  test('gets its name only if the name is free', () => {
    writeFileSync(at('draft'), 'draft')
    expect(() => publish(at('draft'), at('file'))).toThrow(expect.objectContaining({ code: 'EEXIST' }))
    publish(at('draft'), at('name'))
    expect(readFileSync(at('name'), 'utf8')).toBe('draft')
  })

  test('is created and removed to check its folder', () => {
    tryFile(at('tried'))
    expect(() => tryFile(at('none/tried'))).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    expect(existsSync(at('tried'))).toBe(false)
  })
})

describe('a private folder', () => {
  test('is in XDG_RUNTIME_DIR, has mode 700, and is removed with its files', () => {
    const { path, remove } = openPrivateFolder({ XDG_RUNTIME_DIR: folder })
    expect([path.startsWith(join(folder, 'keyferry-files-')), statSync(path).mode & 0o777]).toEqual([
      true,
      0o700,
    ])
    mkdirSync(join(path, 'sub'))
    for (const name of ['a', 'sub/b']) writeFileSync(join(path, name), '')
    remove()
    remove()
    expect(readdirSync(folder)).toEqual([])
  })

  test('stays if it is kept', () => {
    const { path, remove, keep } = openPrivateFolder({ XDG_RUNTIME_DIR: folder })
    keep()
    remove()
    expect(existsSync(path)).toBe(true)
  })

  test.each(['', 'relative', '/no/such'])(
    'is in another place if XDG_RUNTIME_DIR is %j',
    (XDG_RUNTIME_DIR) => {
      const { path, remove } = openPrivateFolder({ XDG_RUNTIME_DIR })
      expect([existsSync(path), path.startsWith('/')]).toEqual([true, true])
      remove()
      expect(existsSync(path)).toBe(false)
    },
  )
})
