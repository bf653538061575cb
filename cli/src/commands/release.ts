import { CliError, EXIT, refusedError, usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import type { Command } from '../command-line/command.ts'

export const releaseCommand: Command = {
  name: 'release',
  operands: 'ID CODE',
  summary: 'Enter an approval code for a client without a terminal',
  details: [
    'A client without a terminal, for example in a script, prints this command with its ID. Run it in any shell of the same user on the same machine. The page shows the code after the approval.',
  ],
  flags: [],
  examples: {
    "keyferry release 7f9c2ba4e88f827d616045507605853e '482 913'":
      'Let the waiting client fetch the approved values',
  },
  run: async ({ operands }, parts) => {
    const [id, code] = operands
    if (id === undefined || code === undefined || !/^[\w-]{16,128}$/.test(id)) {
      throw usageError(
        'release needs the ID and the code',
        'Copy the command that the waiting client printed.',
      )
    }
    const { giveCode } = await import('../release/release-socket.ts')
    const answer = await giveCode(id, code, parts)
    if (answer === null) {
      throw new CliError(
        EXIT.expired,
        'no client of this user waits for a code with this ID',
        'Check the ID, and run this on the machine where the request was made.',
      )
    }
    if (answer !== 'ok') {
      throw refusedError(printable(answer, 200), 'Run the command again with the code of the page.')
    }
    parts.stderr.write('keyferry: released\n')
    return EXIT.ok
  },
}
