import { FORMATS } from '@keyferry/contract/env'
import { FORMAT_NAMES, NAME_RULES } from '@keyferry/contract/env/format-names'
import { expect, test } from 'vitest'

const NAMES =
  `2FA_TOKEN DATABASE_URL _ BASH_X ZSH_X EUID GID GROUPS OPTIND PPID RANDOM SECONDS UID USERNAME WATCH history
  options path status watch fish_greeting FISH_VERSION PWD hostname umask version GITHUB_TOKEN github_x RUNNER_X
  NODE_OPTIONS USER_ID PGRP`.split(/\s+/)
const VALUES = ['x', '1', '']

test.each(FORMAT_NAMES)(
  'the rules of names refuse exactly what the format %s refuses with any value',
  (name) => {
    const named = NAMES.filter((key) => NAME_RULES[name](key) !== null)
    const refused = NAMES.filter((key) => VALUES.every((value) => FORMATS[name].whyNot(key, value) !== null))
    expect(named).toEqual(refused)
  },
)
