import { EXIT, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import type { Command } from '../command-line/command.ts'
import { COMPLETION_SCRIPTS, COMPLETION_SHELLS } from '../command-line/completion-script.ts'
import { parseWords } from '../command-line/parse-words.ts'
import { lsCommand } from './ls.ts'

export const completionCommand: Command = {
  name: 'completion',
  operands: COMPLETION_SHELLS.join('|'),
  summary: 'Print a script that completes commands in your shell',
  details: [
    'bash: add source <(keyferry completion bash) to ~/.bashrc. zsh: write the output to a file _keyferry in a folder of $fpath. fish: write it to ~/.config/fish/completions/keyferry.fish. PowerShell: add keyferry completion powershell | Out-String | Invoke-Expression to $PROFILE.',
  ],
  flags: [],
  examples: { 'keyferry completion fish': 'Print the script for fish' },
  run: async ({ operands: [named] }, { stdout }) => {
    const shell = COMPLETION_SHELLS.find((name) => name === named)
    const wrong = named === undefined ? 'no shell given' : `unsupported shell: ${printable(named, 40)}`
    if (shell === undefined) throw usageError(wrong, `Use one of ${COMPLETION_SHELLS.join(', ')}.`)
    stdout.write(COMPLETION_SCRIPTS[shell])
    return EXIT.ok
  },
}

/** What the scripts call: print what may stand at a place of a command line. */
export async function printCompletions(
  [place, ...words]: readonly string[],
  commands: readonly Command[],
  parts: Parts,
): Promise<number> {
  const { complete } = await import('../command-line/complete.ts')
  const found = await complete(words, Number(place), { commands, listBundles: () => bundlesHere(parts) })
  parts.stdout.write(found.map((line) => `${line}\n`).join(''))
  return EXIT.ok
}

async function bundlesHere(parts: Parts): Promise<readonly string[]> {
  const written: string[] = []
  const stdout = { ...parts.stdout, write: (text: string) => void written.push(text) }
  await lsCommand.run(parseWords(lsCommand, ['--here', '--quiet']), { ...parts, view: 'quiet', stdout })
  return written
    .join('')
    .split('\n')
    .filter((name) => name !== '')
}
