const SHELLS = new Set('sh bash zsh fish dash ksh mksh csh tcsh busybox cmd powershell pwsh'.split(' '))
const PRINTERS = new Set(['env', 'set', 'export', 'declare'])
const SENDERS = new Set(['curl', 'wget', 'nc', 'ncat', 'socat', 'scp', 'rsync', 'ssh'])
const INTERPRETERS: readonly (readonly [name: RegExp, flags: readonly string[]])[] = [
  [/^(node|nodejs|bun)$/, ['-e', '--eval', '-p', '--print']],
  [/^python[\d.]*$/, ['-c']],
  [/^(ruby|perl)$/, ['-e']],
  [/^php$/, ['-r']],
  [/^deno$/, ['eval']],
]
const STARTERS = new Set('sudo doas nohup nice time exec command xargs timeout stdbuf setsid'.split(' '))

/** Why a command deserves a second look: a program that prints its environment, sends it away, or runs any text that
 * it is given. Null for any other; that proves nothing, because every program can read the values that it gets. */
export function commandRisk(argv: readonly string[]): string | null {
  const words = startedWords(argv)
  const [program = '', ...rest] = words
  const name = nameOf(program)
  const isAlone = rest.every((word) => !isProgramWord(word))
  if (name === 'printenv' || (PRINTERS.has(name) && isAlone)) return `${name} prints every value.`
  if (name === 'env') return commandRisk(rest.filter((word) => isProgramWord(word) || word.startsWith('/')))
  if (SENDERS.has(name)) return `${name} can send values to another computer.`
  if (SHELLS.has(name)) {
    return rest.length === 0
      ? `${name} opens a shell: everything typed there can read the values.`
      : `${name} runs a script, which can do anything with the values.`
  }
  const flags = INTERPRETERS.find(([pattern]) => pattern.test(name))?.[1] ?? []
  const own = rest.slice(0, rest.findIndex((word) => !word.startsWith('-')) + 1)
  if (own.some((word) => flags.includes(word))) return `${name} runs the text of the command as a program.`
  return null
}

// The program that a wrapper such as sudo or timeout starts.
function startedWords(argv: readonly string[]): readonly string[] {
  const [first = '', ...rest] = argv
  if (!STARTERS.has(nameOf(first))) return argv
  const next = rest.findIndex((word) => !word.startsWith('-') && !/^\d+[smhd]?$/.test(word))
  return next === -1 ? argv : startedWords(rest.slice(next))
}

const isProgramWord = (word: string) => !word.startsWith('-') && !/^\w+=/.test(word)

function nameOf(program: string): string {
  return (program.split(/[/\\]/).at(-1) ?? '').replace(/\.exe$/i, '').toLowerCase()
}
