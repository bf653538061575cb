import type { Command, Words } from '../command-line/command.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import { SERVER_FLAG, serverHere } from './server-flag.ts'

export const forgetCommand: Command = {
  name: 'forget',
  operands: '',
  maxOperands: 0,
  summary: 'End the approvals that a server remembers for this terminal',
  details: [
    'An approver can let a terminal repeat a command for some hours. This ends all such approvals of the server for the terminals of this login, and deletes their key. The next command asks again.',
  ],
  flags: [SERVER_FLAG],
  examples: [{ command: 'keyferry forget', what: 'Ask for an approval again from now on' }],
  run: async (words, parts) => await forget(words, parts),
}

async function forget(words: Words, parts: Parts): Promise<number> {
  const server = await serverHere(words, parts)
  const { forgetTerminal } = await import('../server/forget-call.ts')
  const { dropTerminalKey, existingTerminalKey } = await import('../state/terminal-key.ts')
  const seed = existingTerminalKey(server, parts)
  // The key goes first: without it nothing that the server remembers can be used, even if the call fails.
  dropTerminalKey(server, parts)
  const ended = seed === null ? 0 : await forgetTerminal(server, seed, parts)
  parts.stderr.write(
    `keyferry: ${ended === 0 ? 'nothing was remembered' : `ended ${ended} remembered ${ended === 1 ? 'approval' : 'approvals'}`}\n`,
  )
  return EXIT.ok
}
