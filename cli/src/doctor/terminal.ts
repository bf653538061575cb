import type { Parts } from '../base/parts.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import { terminalStyle } from '../terminal/terminal-style.ts'
import { doubtful, type Finding, good } from './finding.ts'

const QR_COLUMNS = 45

/** Check what this terminal can show, and how a program will be started. */
export function examineTerminal(parts: Pick<Parts, 'stderr' | 'env' | 'platform'>): readonly Finding[] {
  // Bun has an execve on Windows too, which does not replace the process.
  const isReplaced = parts.platform !== 'win32' && process.execve !== undefined
  const run = isReplaced
    ? 'keyferry becomes the program'
    : 'keyferry starts the program as a child process and forwards signals'
  return [view(parts), browser(parts), good('run', run)]
}

function view({ stderr, env, platform }: Pick<Parts, 'stderr' | 'env' | 'platform'>): Finding {
  if (!stderr.isTerminal)
    return good('terminal', 'standard error is not a terminal; keyferry prints plain lines')
  const style = terminalStyle(stderr, env, platform)
  if (!style.hasUnicode) {
    return doubtful(
      'terminal',
      'the locale is not UTF-8; keyferry shows no QR code',
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

function browser({ env, platform }: Pick<Parts, 'env' | 'platform'>): Finding {
  const why = whyNoBrowser(env, platform)
  return why === null
    ? good('browser', 'keyferry can open the approval page')
    : good('browser', `keyferry does not open it (${why}); open the printed link yourself`)
}
