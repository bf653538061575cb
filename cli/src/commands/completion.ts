import { EXIT, usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import type { Command, Words } from '../command-line/command.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

type Shell = (typeof SHELLS)[number]

/** The completion command, which completes the other commands and itself. */
export function completionOf(others: readonly Command[]): Command {
  const command: Command = {
    name: 'completion',
    operands: 'bash|zsh|fish|powershell',
    summary: 'Print a script that completes commands and flags in your shell',
    details: [
      'bash: add source <(keyferry completion bash) to ~/.bashrc. zsh: write the output to a file _keyferry in a folder of $fpath. fish: write it to ~/.config/fish/completions/keyferry.fish. PowerShell: add keyferry completion powershell | Out-String | Invoke-Expression to $PROFILE.',
    ],
    flags: [],
    examples: {
      'keyferry completion fish': 'Print the script for fish',
    },
    run: async (words, { stdout }) => {
      const shell = readShell(words)
      const { completionScript } = await import('../command-line/completion-script.ts')
      stdout.write(completionScript(shell, [...others, command]))
      return EXIT.ok
    },
  }
  return command
}

function readShell({ operands }: Words): Shell {
  const shell = SHELLS.find((name) => name === operands[0])
  if (shell !== undefined) return shell
  const typed =
    operands[0] === undefined ? 'no shell given' : `unsupported shell: ${printable(operands[0], 40)}`
  throw usageError(typed, `Use one of ${SHELLS.join(', ')}.`)
}
