import { usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import type { VerifyOptions } from './audit-export.ts'

export const auditCommand: Command = {
  name: 'audit',
  operands: 'verify FILE',
  summary: 'Check an export of the audit log, without a server',
  details: [
    'Checks that no entry of the export was changed, removed, added or moved since it was written, and names the first line that is wrong. The exit code is 1 if something is wrong.',
    'Without a note, the check shows only that the entries fit each other: an attacker who can write to the database can write another such log. With --key, it also checks who signed the note and the end of the export. With --note, it also checks a note that you saved earlier, which shows whether the newest entries were removed.',
  ],
  flags: [
    flagOf('--key KEY', 'The key of the server, as keyferry-server audit-key shows it'),
    flagOf('--note FILE', 'A note that you saved earlier; needs --key'),
    flagOf('--json', 'One JSON object with the ranges and what anchors them'),
  ],
  examples: {
    'keyferry audit verify audit.jsonl': 'Check that the entries of an export fit each other',
    'keyferry audit verify audit.jsonl --key "$(cat audit.key)" --note audit.note':
      'Check who signed the log, and that a note of last month still fits',
  },
  run: async (words, parts) => {
    const options = readOptions(words)
    const { verifyExport } = await import('./audit-export.ts')
    return await verifyExport(options, parts)
  },
}

function readOptions(words: Words): VerifyOptions {
  const [verb, file] = words.operands
  if (verb !== 'verify' || file === undefined) {
    const said =
      verb === undefined || verb === 'verify' ? 'no file given' : `unknown word ${printable(verb, 60)}`
    throw usageError(said, 'For example: keyferry audit verify audit.jsonl')
  }
  const [key, noteFile] = [words.text('key'), words.text('note')]
  if (noteFile !== null && key === null) {
    throw usageError('--note needs --key', 'Give the key too: keyferry-server audit-key shows it.')
  }
  return { file, key, noteFile, isJson: words.has('json') }
}
