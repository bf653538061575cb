import { EXIT } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { field, number } from '../base/shape.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { SERVER_FLAG, serverOf } from '../flags/library-flags.ts'
import { findProject } from '../project/project-file.ts'
import { readEndpoint } from '../server/endpoint-call.ts'

export const forgetCommand: Command = {
  name: 'forget',
  summary: 'End remembered approvals, or forget the workspace of a folder',
  details: [
    'An approver can let a terminal repeat a command for some hours. This command ends all remembered approvals of this login at the server, and deletes the key that signs its requests. The next command needs an approval again.',
    'With --workspace it only forgets the workspace that you confirmed for this folder. The next command that needs a workspace asks again.',
  ],
  flags: [SERVER_FLAG, flagOf('--workspace', 'Forget the workspace of this folder instead')],
  examples: {
    'keyferry forget': 'Require an approval again',
  },
  run: async (words, parts) => {
    const project = findProject(parts.cwd)
    const server = await serverOf(words, project, parts)
    const folder = project?.folder ?? parts.cwd
    if (words.has('workspace')) {
      const { forgetWorkspace } = await import('../project/workspace-pins.ts')
      const pinned = forgetWorkspace({ server, folder }, parts)
      const what =
        pinned === null ? 'no workspace was confirmed' : `forgot the workspace ${printable(pinned.name, 80)}`
      parts.stderr.write(`keyferry: ${what} for this folder\n`)
      return EXIT.ok
    }
    const { dropTerminalKey, existingTerminalKey } = await import('../state/terminal-key.ts')
    const seed = existingTerminalKey(server, parts)
    // Delete the key first: without it, no remembered approval can be used, even if the call fails.
    dropTerminalKey(server, parts)
    const ended = seed === null ? 0 : await endRemembered(server, seed, parts)
    parts.stderr.write(
      `keyferry: ${ended === 0 ? 'nothing was remembered' : `ended ${ended} remembered ${ended === 1 ? 'approval' : 'approvals'}`}\n`,
    )
    return EXIT.ok
  },
}

/** @returns how many approvals ended · @throws CliError */
async function endRemembered(server: string, seed: Uint8Array, { exchange, clock }: Parts): Promise<number> {
  const { signDeviceForget } = await import('@keyferry/crypto/device-key')
  const device = signDeviceForget(seed, new Date(clock.epochMs()).toISOString())
  const malformed = 'the server did not say how many approvals it forgot'
  const call = { body: { device }, shape: field('ended', number), malformed }
  return await readEndpoint({ server, exchange }, 'forgetDevice', call)
}
