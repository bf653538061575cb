import { EXIT } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { type Command, flagOf } from '../command-line/command.ts'
import { type Finding, findingsText } from '../doctor/finding.ts'
import { SERVER_FLAG } from '../flags/library-flags.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Diagnose problems and suggest fixes',
  details: [
    'Checks the settings, the server, the clock, the terminal, the browser and the files that keyferry keeps. It changes nothing. With a machine credential, it also shows the claims, the audience and the expiry, and whether the server accepts it. For this, it requests a bundle that does not exist; the audit log records the refused call. The exit code is 1 if a check fails.',
  ],
  flags: [SERVER_FLAG, flagOf('--json', 'One JSON object')],
  examples: {
    'keyferry doctor': 'Check this machine',
  },
  run: async (words, parts) => {
    const findings = await findingsOf(words.text('server'), parts)
    parts.stdout.write(
      words.has('json') ? `${JSON.stringify({ findings })}\n` : findingsText(findings, parts),
    )
    return findings.some(({ state }) => state === 'broken') ? EXIT.general : EXIT.ok
  },
}

// In the order in which commands use what is checked.
async function findingsOf(serverFlag: string | null, parts: Parts): Promise<readonly Finding[]> {
  const [{ examineServer }, { examineMachine }, { examineTerminal }, { examineFiles }] = await Promise.all([
    import('../doctor/server.ts'),
    import('../doctor/machine.ts'),
    import('../doctor/terminal.ts'),
    import('../doctor/files.ts'),
  ])
  const { findings, server } = await examineServer(serverFlag, parts)
  const machine = await examineMachine(server, parts)
  return [...findings, ...machine, ...examineTerminal(parts), ...examineFiles(parts)]
}
