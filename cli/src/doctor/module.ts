import { CliError, EXIT } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { type Command, type CommandGroups, flagOf, type Words } from '../command-line/command.ts'
import { SERVER_FLAG } from '../flags/library-flags.ts'
import { broken, type Finding, findingsText } from './finding.ts'

const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Diagnose problems and suggest fixes',
  details: [
    'Checks the settings, the server, the clock, the terminal, the browser and the files that keyferry keeps. It changes nothing. With a machine credential, it also shows the claims, the audience and the expiry, and whether the server accepts it. For this, it requests a bundle that does not exist; the audit log records the refused call. The exit code is 1 if a check fails.',
    'With --release it also checks who signed the client that the server hands out: the signature of the publisher, the version and the date. A list of checksums that was changed, is older than this client or has expired is refused. A single executable also compares itself with the list. A program that was changed can lie about itself. To check it from outside, use minisign: docs/rebuild.md.',
  ],
  flags: [
    SERVER_FLAG,
    flagOf('--brief', 'Check only the settings, the server and the clock'),
    flagOf('--release', 'Also check who signed the client that the server hands out, and this one'),
    flagOf('--json', 'One JSON object'),
  ],
  examples: { 'keyferry doctor': 'Check this machine' },
  run: async (words, parts) => {
    const findings = await findingsOf(words, parts)
    parts.stdout.write(
      words.has('json') ? `${JSON.stringify({ findings })}\n` : findingsText(findings, parts),
    )
    return findings.some(({ state }) => state === 'broken') ? EXIT.general : EXIT.ok
  },
}

export const commands: CommandGroups = { Rare: [doctorCommand] }

async function examineRelease(server: string | null, parts: Parts): Promise<readonly Finding[]> {
  if (server === null) return []
  const { checkRelease } = await import('./release-check.ts')
  try {
    return await checkRelease(server, parts)
  } catch (error) {
    if (error instanceof CliError) return [broken('signature', error.message, error.next)]
    throw error
  }
}

// In the order in which commands use what is checked.
async function findingsOf(words: Words, parts: Parts): Promise<readonly Finding[]> {
  const [{ examineServer }, { examineMachine }, { examineTerminal }, { examineFiles }] = await Promise.all([
    import('./server.ts'),
    import('./machine.ts'),
    import('./terminal.ts'),
    import('./files.ts'),
  ])
  const { findings, server } = await examineServer(words.text('server'), parts)
  if (words.has('brief')) return findings
  const machine = await examineMachine(server, parts)
  const here = [...findings, ...machine, ...examineTerminal(parts), ...examineFiles(parts)]
  return words.has('release') ? [...here, ...(await examineRelease(server, parts))] : here
}
