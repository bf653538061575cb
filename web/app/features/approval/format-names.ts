export type Format = 'sh' | 'fish' | '.env' | 'systemd' | 'github-actions'

const DIGIT_FIRST = /^\d/

/** Names that a format of the keyferry client holds with no value at all. What depends on the value, only the client
 * can tell; and of the names that shells keep, these are the ones that a key might well have. */
const CANNOT_HOLD: Readonly<Record<Format, RegExp>> = {
  sh: /^(?:\d|_$|BASH_|ZSH_)|^(?:EUID|GID|GROUPS|OPTIND|PPID|RANDOM|SECONDS|UID|USERNAME|WATCH|history|options|path|status|watch)$/,
  fish: /^(?:\d|_$|fish_)|^(?:FISH_VERSION|PWD|history|hostname|status|umask|version)$/,
  '.env': DIGIT_FIRST,
  systemd: DIGIT_FIRST,
  'github-actions': /^(?:GITHUB_|RUNNER_)|^NODE_OPTIONS$/i,
}

/** What the terminal says it will write the values as, where that form cannot hold every name; else null.
 * @param command as the client claims it: `keyferry pull --format fish` */
export function formatOf(command: string | undefined): Format | null {
  const [, given = 'sh'] = /^keyferry pull(?: --format (\S+))?$/.exec(command ?? '') ?? ['', '']
  return isFormat(given) ? given : null
}

/** The names among these under which the format holds nothing. */
export function namesNotHeld(format: Format, names: readonly string[]): string[] {
  return names.filter((name) => CANNOT_HOLD[format].test(name))
}

function isFormat(text: string): text is Format {
  return Object.hasOwn(CANNOT_HOLD, text)
}
