import { DIALECT_NAMES } from '@keyferry/contract/env/dialects'
import { FORMAT_NAMES } from '@keyferry/contract/env/format-names'
import type { Command, CommandFlag } from './command.ts'
import { allFlags } from './parse-words.ts'

type CompletionShell = 'bash' | 'zsh' | 'fish' | 'powershell'

/** A script that makes a shell complete the commands and their flags. */
export function completionScript(shell: CompletionShell, commands: readonly Command[]): string {
  return { bash, zsh, fish, powershell }[shell](commands)
}

// The words that a flag or a command accepts, where the list is closed.
const WORDS: Readonly<Record<string, readonly string[]>> = {
  FORMAT: FORMAT_NAMES,
  DIALECT: DIALECT_NAMES,
  'auto|always|never': ['auto', 'always', 'never'],
  'bash|zsh|fish|powershell': ['bash', 'zsh', 'fish', 'powershell'],
  'verify FILE': ['verify'],
}

// Commands and flags that take bundles, whose names a server on this machine knows.
const BUNDLE_OPERANDS = ['[BUNDLE]', 'BUNDLE', 'BUNDLE [BUNDLE...]']
const LIST_BUNDLES = 'keyferry ls --here --quiet 2>/dev/null'
const ZSH_BUNDLES = `{compadd -- \${(f)"$(${LIST_BUNDLES})"}}`

function takesBundle({ operands = '' }: Command): boolean {
  return BUNDLE_OPERANDS.includes(operands)
}

function takesFile({ value, name }: CommandFlag): boolean {
  return value === 'FILE' || name === 'output'
}

function flagWords(command: Command): string {
  return allFlags(command)
    .map(({ name }) => `--${name}`)
    .join(' ')
}

function names(commands: readonly Command[]): string {
  return [...commands.map(({ name }) => name), 'help', 'version'].join(' ')
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const words = (WORDS[command.operands ?? ''] ?? []).join(' ')
    const bundles = takesBundle(command) ? ` [[ $current == -* ]] || words=$(${LIST_BUNDLES})` : ''
    return `    ${command.name}) words="${[flagWords(command), words].join(' ').trim()}";${bundles} ;;`
  })
  return `_keyferry() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words="" index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    if [[ \${COMP_WORDS[index]} == -- ]]; then
      compopt -o default
      return
    fi
  done
  case "$previous" in
    --format | -f) COMPREPLY=($(compgen -W "${FORMAT_NAMES.join(' ')}" -- "$current")); return ;;
    --bundle | -b) COMPREPLY=($(compgen -W "$(${LIST_BUNDLES})" -- "$current")); return ;;
    --output | -o | import | verify) compopt -o default; return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words="${names(commands)}" ;;
  esac
  if ((COMP_CWORD == 1)); then words="${names(commands)} --help --version"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _keyferry keyferry
`
}

function zsh(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${zshText(summary)}'`)
  const cases = commands.map((command) => {
    const flags = allFlags(command).flatMap(zshFlag)
    return `    ${command.name}) _arguments ${[...flags, zshOperands(command)].join(' ')} ;;`
  })
  return `#compdef keyferry
_keyferry() {
  local -a verbs
  verbs=(
${described.join('\n')}
    'help:Show the help of a command'
  )
  if (( CURRENT == 2 )); then
    _describe command verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join('\n')}
    help) _describe command verbs ;;
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _keyferry "$@"; else compdef _keyferry keyferry; fi
`
}

function zshFlag(flag: CommandFlag): string[] {
  const argument = flag.value === undefined ? '' : `:${flag.value}:${zshValues(flag)}`
  const [join, colon] = flag.valueIfBare === undefined ? ['', ''] : ['=-', ':']
  const start = flag.repeats === true ? '*' : ''
  const end = `[${zshText(flag.summary)}]${colon}${argument}`
  const short = flag.short === undefined ? [] : [`'${start}-${flag.short}${end}'`]
  return [`'${start}--${flag.name}${join}${end}'`, ...short]
}

function zshValues(flag: CommandFlag): string {
  if (takesFile(flag)) return '_files'
  if (flag.name === 'bundle') return ZSH_BUNDLES
  const words = WORDS[flag.value ?? '']
  return words === undefined ? '' : `(${words.join(' ')})`
}

function zshOperands(command: Command): string {
  const first = zshOperand(command)
  if (command.takesProgram === true) return `'1:bundle:${first}' '*:::program:_normal'`
  return command.operands === 'verify FILE' ? `'1:verb:${first}' '*:file:_files'` : `'*:operand:${first}'`
}

function zshOperand(command: Command): string {
  if (takesBundle(command)) return ZSH_BUNDLES
  const words = WORDS[command.operands ?? '']
  if (words !== undefined) return `(${words.join(' ')})`
  return command.operands?.startsWith('FILE') === true ? '_files' : ''
}

function zshText(text: string): string {
  return text.replaceAll("'", '').replace(/[[\]:\\$`]/g, ' ')
}

function fish(commands: readonly Command[]): string {
  const first = `complete -c keyferry -n __fish_use_subcommand -f -a`
  const verbs = commands.map(({ name, summary }) => `${first} ${name} -d '${fishText(summary)}'`)
  const flags = commands.flatMap((command) => allFlags(command).map((flag) => fishFlag(command, flag)))
  const words = commands.flatMap(({ name, operands = '' }) => {
    const choices = WORDS[operands]?.join(' ')
    if (choices === undefined) return []
    const isOpen = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${choices}`
    return [`complete -c keyferry -n '${isOpen}' -f -a '${choices}'`]
  })
  const bundles = commands
    .filter(takesBundle)
    .map(
      ({ name }) =>
        `complete -c keyferry -n '__fish_seen_subcommand_from ${name}; and not contains -- -- (commandline -opc)' -f -a '(${LIST_BUNDLES})'`,
    )
  return `${[...verbs, `${first} help -d 'Show the help of a command'`, ...flags, ...words, ...bundles].join('\n')}\n`
}

function fishFlag(command: Command, flag: CommandFlag): string {
  const words = flag.name === 'bundle' ? [`(${LIST_BUNDLES})`] : WORDS[flag.value ?? '']
  const parts = [
    `complete -c keyferry -n '__fish_seen_subcommand_from ${command.name}'`,
    `-l ${flag.name}`,
    ...(flag.short === undefined ? [] : [`-s ${flag.short}`]),
    ...(flag.value === undefined || flag.valueIfBare !== undefined ? [] : [takesFile(flag) ? '-rF' : '-x']),
    ...(words === undefined ? [] : [`-a '${words.join(' ')}'`]),
    `-d '${fishText(flag.summary)}'`,
  ]
  return parts.join(' ')
}

function fishText(text: string): string {
  return text.replace(/[\\']/g, '\\$&')
}

function powershell(commands: readonly Command[]): string {
  const table = commands.map((command) => {
    const words = [flagWords(command), ...(WORDS[command.operands ?? ''] ?? [])].join(' ')
    return `    '${command.name}' = '${words}'`
  })
  const bundles = commands
    .filter(takesBundle)
    .map(({ name }) => `'${name}'`)
    .join(', ')
  return `Register-ArgumentCompleter -Native -CommandName keyferry -ScriptBlock {
  param($word, $line, $cursor)
  $words = @{
${table.join('\n')}
    'help' = '${names(commands)}'
  }
  $given = @($line.CommandElements | ForEach-Object { "$_" })
  $isFirst = $given.Count -lt 2 -or ($given.Count -eq 2 -and $word -ne '')
  $choices = if ($isFirst) { '${names(commands)} --help --version' } else { $words[$given[1]] }
  if (-not $isFirst -and @(${bundles}) -contains $given[1] -and -not $word.StartsWith('-')) {
    $choices = @(keyferry ls --here --quiet 2>$null) -join ' '
  }
  "$choices".Split(' ') | Where-Object { $_ -ne '' -and $_.StartsWith($word) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
}
