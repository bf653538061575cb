import { expect, test } from 'vitest'
import { FORMAT_NAMES, loaderOf } from '../cli/src/formats/formats.ts'
import { formatOf, namesNotHeld } from '../web/app/features/approval/format-names.ts'

const NAMES =
  `2FA_TOKEN DATABASE_URL _ BASH_X ZSH_X EUID GID GROUPS OPTIND PPID RANDOM SECONDS UID USERNAME WATCH history
  options path status watch fish_greeting FISH_VERSION PWD hostname umask version GITHUB_TOKEN github_x RUNNER_X
  NODE_OPTIONS`.split(/\s+/)
const VALUES = ['x', '1', '']

test.each(FORMAT_NAMES)('the approval page names only what the client’s format %s refuses', async (name) => {
  const format = formatOf(`keyferry pull --format ${name}`)
  const { whyNot } = await loaderOf(name).load()
  const named = format === null ? [] : namesNotHeld(format, NAMES)
  const refused = NAMES.filter((key) => VALUES.every((value) => whyNot(key, value) !== null))
  expect(named).toEqual(refused)
})

test('a format is known from what the client itself claims, and from nothing else', () => {
  expect(formatOf('keyferry pull')).toBe('sh')
  expect(formatOf('keyferry pull --format .env')).toBe('.env')
  for (const command of [undefined, '', 'npm run dev', 'keyferry pull --format nothing', 'x keyferry pull'])
    expect(formatOf(command)).toBeNull()
})
