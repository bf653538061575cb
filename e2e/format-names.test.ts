import { FORMATS } from '@keyferry/contract/env'
import { FORMAT_NAMES, NAME_RULES } from '@keyferry/contract/env/format-names'
import { expect, test } from 'vitest'
import { formatOf } from '../web/app/features/approval/kinds/requested-format.ts'

const NAMES =
  `2FA_TOKEN DATABASE_URL _ BASH_X ZSH_X EUID GID GROUPS OPTIND PPID RANDOM SECONDS UID USERNAME WATCH history
  options path status watch fish_greeting FISH_VERSION PWD hostname umask version GITHUB_TOKEN github_x RUNNER_X
  NODE_OPTIONS USER_ID PGRP`.split(/\s+/)
const VALUES = ['x', '1', '']

test.each(FORMAT_NAMES)('the approval page names exactly the names that the format %s refuses', (name) => {
  expect(formatOf(`keyferry pull --format ${name}`)).toBe(name)
  const named = NAMES.filter((key) => NAME_RULES[name](key) !== null)
  const refused = NAMES.filter((key) => VALUES.every((value) => FORMATS[name].whyNot(key, value) !== null))
  expect(named).toEqual(refused)
})

test('a format is known from what the client itself reports, and from nothing else', () => {
  expect(formatOf('keyferry pull')).toBe('sh')
  expect(formatOf('keyferry pull --format .env')).toBe('.env')
  for (const command of [undefined, '', 'npm run dev', 'keyferry pull --format nothing', 'x keyferry pull'])
    expect(formatOf(command)).toBeNull()
})
