import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ROOT, RUNTIMES } from './places.ts'
import { runtimeProgram } from './runtime.ts'
import { targetHere } from './targets.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-reproducible-'))
const target = targetHere() ?? 'none'
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of the sources that are here, and of what `npm ci` installed. */
function copyOfSources(name: string): string {
  const copy = join(folder, name)
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const paths = execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).split('\0')
  for (const path of paths.filter((text) => text !== '')) cpSync(join(ROOT, path), join(copy, path))
  if (target !== 'none') runtimeProgram(target, RUNTIMES)
  mkdirSync(join(copy, 'release/dist'), { recursive: true })
  const copied = `cp -al "$0/$2" "$1" 2>/dev/null || cp -a "$0/$2" "$1"`
  execFileSync('sh', ['-c', copied, ROOT, copy, 'node_modules'])
  execFileSync('sh', ['-c', copied, ROOT, join(copy, 'release/dist'), 'release/dist/runtimes'])
  return copy
}

type Builder = { umask: string; env: Record<string, string>; before?: readonly string[] }

function build(copy: string, { umask, env, before = [] }: Builder): string {
  const home = `${copy}-home`
  mkdirSync(home)
  if (process.getuid?.() === 0) {
    chmodSync(folder, 0o755)
    execFileSync('chown', ['-R', before.includes('setpriv') ? '65534' : '0', home, join(copy, 'release')])
  }
  const PATH = `${join(copy, 'node_modules/.bin')}:${process.env['PATH']}`
  const [program, ...words] = [...before, 'sh', '-c', `umask ${umask}; npm run -s release -- ${target}`]
  execFileSync(program, words, {
    cwd: copy,
    env: { PATH, HOME: home, SOURCE_DATE_EPOCH: '1767225600', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return readFileSync(join(copy, 'release/dist/SHA256SUMS'), 'utf8')
}

const isRoot = process.getuid?.() === 0

test('a release depends on no path, user, umask, locale, time zone and number of cores', () => {
  const plain = build(copyOfSources('plain'), { umask: '022', env: { LC_ALL: 'C', TZ: 'UTC' } })
  const other = build(copyOfSources('another place'), {
    umask: '077',
    env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' },
    before: ['taskset', '--cpu-list', '0', ...(isRoot ? NOBODY : [])],
  })
  expect(other).toBe(plain)
  expect(plain.trim().split('\n')).toHaveLength(target === 'none' ? 3 : 5)
})
