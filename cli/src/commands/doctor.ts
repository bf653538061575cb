import { EXIT } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import type { Command, Words } from '../command-line/command.ts'
import type { Finding } from '../doctor/finding.ts'
import { terminalStyle } from '../terminal/terminal-style.ts'
import { SERVER_FLAG } from './server-flag.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Diagnose problems and suggest fixes',
  details: [
    'Checks the settings, the server, the clock, the terminal, the browser and the files that keyferry keeps. It changes nothing. With a machine credential, it also shows the claims, the audience and the expiry, and whether the server accepts it. For this, it requests a bundle that does not exist; the audit log records the refused call. The exit code is 1 if a check fails.',
  ],
  flags: [SERVER_FLAG, { name: 'json', summary: 'One JSON object' }],
  examples: {
    'keyferry doctor': 'Check this machine',
  },
  run: async (words, parts) => await doctor(words, parts),
}

const SIGNS = { good: 'ok  ', doubtful: 'note', broken: 'FAIL' } as const

/** Run all checks and write the findings to standard output.
 * @returns 0, or 1 if a check fails */
async function doctor(words: Words, parts: Parts): Promise<number> {
  const { examine } = await import('../doctor/examine.ts')
  const findings = await examine(words.text('server'), parts)
  parts.stdout.write(words.has('json') ? `${JSON.stringify({ findings })}\n` : asText(findings, parts))
  return findings.some(({ state }) => state === 'broken') ? EXIT.general : EXIT.ok
}

function asText(findings: readonly Finding[], { stdout, env, platform }: Parts): string {
  const style = terminalStyle(stdout, env, platform)
  return findings
    .map(({ state, about, what, fix }) => {
      const line = `${state === 'broken' ? style.bold(SIGNS[state]) : SIGNS[state]}  ${about}: ${what}\n`
      return fix === null ? line : `${line}      ${fix}\n`
    })
    .join('')
}
