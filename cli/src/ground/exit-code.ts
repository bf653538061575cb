/** The exit codes of the client. Once the program has started, `run` exits with the program's code. */
export const EXIT = {
  ok: 0,
  general: 1,
  // As diff(1) does.
  different: 1,
  usage: 2,
  denied: 3,
  expired: 4,
  network: 5,
  refused: 6,
  cannotStart: 126,
  notFound: 127,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
