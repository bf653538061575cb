import { usageError } from '../cli-error.ts'
import type { Command, Words } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import type { Surroundings } from '../surroundings.ts'
import { printable } from '../terminal/printable.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

type Shell = (typeof SHELLS)[number]

export const completionCommand: Command = {
  name: 'completion',
  operands: 'bash|zsh|fish|powershell',
  maxOperands: 1,
  summary: 'Print a script that completes commands and flags in your shell',
  details: [
    'bash: add source <(keyferry completion bash) to ~/.bashrc. zsh: put the output into a file _keyferry in a folder of $fpath. fish: ~/.config/fish/completions/keyferry.fish. PowerShell: add keyferry completion powershell | Out-String | Invoke-Expression to $PROFILE.',
  ],
  flags: [],
  examples: [{ command: 'keyferry completion fish', what: 'Print the script for fish' }],
  run: async (words, surroundings) => await completion(readShell(words), surroundings),
}

function readShell({ operands }: Words): Shell {
  const shell = SHELLS.find((name) => name === operands[0])
  if (shell !== undefined) return shell
  const typed =
    operands[0] === undefined ? 'no shell named' : `no completion for ${printable(operands[0], 40)}`
  throw usageError(typed, `Name one of ${SHELLS.join(', ')}.`)
}

/** Print the script of one shell.
 * @returns the exit code */
async function completion(shell: Shell, { stdout }: Surroundings): Promise<number> {
  const { completionScript } = await import('../completion/completion-script.ts')
  const { commands } = await import('../commands.ts')
  stdout.write(completionScript(shell, commands))
  return EXIT.ok
}
