import { EXIT, usageError } from '../base/cli-error.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { readWorkspaceId } from '../flags/library-flags.ts'

export const trustKeyCommand: Command = {
  name: 'trust-key',
  operands: 'FINGERPRINT',
  summary: 'Trust another approval key of a workspace',
  details: [
    'keyferry receipt verify --require-touch --workspace ID trusts the keys of the first receipt and refuses others. This command adds a key. First ask its person to read the fingerprint to you.',
  ],
  flags: [flagOf('--workspace ID', 'The workspace of the key (required)')],
  examples: {
    'keyferry trust-key BCDF-GHJK-LMNP-QRST-VWXZ --workspace 5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21':
      'Trust a key whose fingerprint its person has read to you',
  },
  run: async (words, parts) => {
    const workspace = readWorkspaceId(words)
    const { readFingerprint, trustKey } = await import('../receipt/approval-keys.ts')
    const fingerprint = readFingerprint(words.operands[0] ?? "''")
    if (workspace === null) throw usageError('trust-key needs --workspace', 'Give the id of the workspace.')
    trustKey(fingerprint, workspace, parts)
    parts.stderr.write(`keyferry: ${fingerprint} may sign in the workspace ${workspace}\n`)
    return EXIT.ok
  },
}
