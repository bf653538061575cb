import type { Parts } from '../ground/parts.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import { terminalStyle } from '../terminal/terminal-style.ts'
import { doubtful, type Finding, good } from './finding.ts'

const QR_COLUMNS = 45

/** What a person at this terminal will see, and how a program will be started. */
export function examineTerminal(parts: Parts): readonly Finding[] {
  return [view(parts), browser(parts), takeover()]
}

function view({ stderr, env, platform }: Parts): Finding {
  if (!stderr.isTerminal) return good('terminal', 'standard error is no terminal: plain lines are written')
  const style = terminalStyle(stderr, env, platform)
  if (!style.hasUnicode) {
    return doubtful(
      'terminal',
      'the locale is not UTF-8, so there is no QR code',
      'Set LANG, for example to C.UTF-8.',
    )
  }
  if (stderr.columns() < QR_COLUMNS) {
    return doubtful(
      'terminal',
      `${stderr.columns()} columns are too few for a QR code`,
      'Make the window wider.',
    )
  }
  return good('terminal', `${stderr.columns()} columns, ${style.hasColour ? 'colour' : 'no colour'}`)
}

function browser({ env, platform }: Parts): Finding {
  const why = whyNoBrowser(env, platform)
  return why === null
    ? good('browser', 'the approval page can be opened from here')
    : good('browser', `not opened from here (${why}): open the printed link anywhere`)
}

function takeover(): Finding {
  return process.execve === undefined
    ? good('run', 'starts the program as a child and passes signals on')
    : good('run', 'becomes the program')
}
