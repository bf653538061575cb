import { EXIT, usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import type { Command } from '../command-line/command.ts'
import { findingsText } from '../doctor/finding.ts'
import { SERVER_FLAG, serverHere } from '../flags/library-flags.ts'

export const selfCommand: Command = {
  name: 'self',
  operands: 'check',
  summary: 'Check who signed the client that the server hands out, and this one',
  details: [
    'Fetches the list of checksums from the server and checks the signature of the publisher, the version and the date. A list that was changed, is older than this client or has expired is refused. A single executable also compares itself with the list. Nothing is installed.',
    'A program that was changed can lie about itself. To check it from outside, use minisign: docs/rebuild.md.',
  ],
  flags: [SERVER_FLAG],
  examples: { 'keyferry self check': 'Check the signature of the client that the server hands out' },
  run: async (words, parts) => {
    const [verb] = words.operands
    if (verb !== 'check')
      throw usageError(`unknown word ${printable(verb ?? '', 60)}`, 'Write: keyferry self check')
    const { checkRelease } = await import('../doctor/release-check.ts')
    const server = await serverHere(words, parts)
    parts.stdout.write(findingsText(await checkRelease(server, parts), parts))
    return EXIT.ok
  },
}
