export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

/** Scripts that let a shell ask `keyferry __complete` for what may come next: a line each, with an explanation behind a
 * tab. `:files` means names of files. */
export const COMPLETION_SCRIPTS: Readonly<Record<(typeof COMPLETION_SHELLS)[number], string>> = {
  bash: `_keyferry() {
  local IFS=$'\\n'
  COMPREPLY=($(keyferry __complete "$((COMP_CWORD - 1))" "\${COMP_WORDS[@]:1}" 2>/dev/null | cut -f1))
  if [[ \${COMPREPLY[0]} == :files ]]; then COMPREPLY=(); compopt -o default; fi
}
complete -F _keyferry keyferry
`,
  zsh: `#compdef keyferry
_keyferry() {
  local -a found described
  found=("\${(@f)$(keyferry __complete $((CURRENT - 2)) "\${(@)words[2,-1]}" 2>/dev/null)}")
  if [[ $found[1] == :files ]]; then _files; return; fi
  described=("\${(@)\${(@)found//:/\\\\:}/$'\\t'/:}")
  _describe keyferry described
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _keyferry "$@"; else compdef _keyferry keyferry; fi
`,
  fish: `function __keyferry_complete
  set -l before (commandline -opc)[2..]
  set -l found (keyferry __complete (count $before) $before (commandline -ct) 2>/dev/null)
  if test "$found[1]" = :files
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c keyferry -f -a '(__keyferry_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName keyferry -ScriptBlock {
  param($word, $line, $cursor)
  $given = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  $at = if ($word -eq '') { $given.Count } else { $given.Count - 1 }
  keyferry __complete $at @given 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
    $name, $about = "$_\`t$_" -split "\`t"
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about[0])
  }
}
`,
}
