import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const LIST = readFileSync(join(ROOT, 'test/programs.txt'), 'utf8')

/** npm packages that only a few trials need, and that `npm ci` leaves out of a clone because they are large. */
export const TOOLS = 'e2e/tools/node_modules'

/** The command that installs what the tests use. */
export const INSTALLS_PROGRAMS = 'npm run test:programs'

/** The programs of the list that are not installed here. */
export function missingPrograms(): string[] {
  const programs = LIST.trim()
    .split('\n')
    .flatMap((line) => line.split(' ').slice(1))
  return programs.filter((program) => program !== '-' && !isInstalled(program))
}

/** Whether all these programs are installed: names in the PATH, or
 * paths from the root of the repository. If not, their tests are skipped with a
 * message. In CI a skip is a failure, so this throws. */
export function hasPrograms(...programs: readonly string[]): boolean {
  return areInstalled(programs, '')
}

/** The same for a whole file of tests, which the message names. */
export function hasProgramsOf(file: string, programs: readonly string[]): boolean {
  return areInstalled(programs, `${file}: `)
}

function areInstalled(programs: readonly string[], tests: string): boolean {
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length === 0) return true
  const installs = missing.includes(TOOLS) ? `${INSTALLS_PROGRAMS} trials` : INSTALLS_PROGRAMS
  skipOrFail(`${tests}${missing.join(', ')} not installed, see ${installs}`)
  return false
}

const noted = new Set<string>()

/** Say once why tests are skipped.
 * @throws Error in CI, where no test may be skipped */
export function skipOrFail(reason: string): void {
  if (process.env['CI'] !== undefined) throw new Error(`CI must not skip tests: ${reason}`)
  if (!noted.has(reason)) process.stderr.write(`SKIPPED: ${reason}\n`)
  noted.add(reason)
}

function isInstalled(program: string): boolean {
  const places = (process.env['PATH'] ?? '').split(delimiter)
  return program.includes('/')
    ? existsSync(resolve(ROOT, program))
    : places.some((place) => existsSync(join(place, program)))
}
