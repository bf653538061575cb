import type { Command, Words } from '../command-line/command.ts'
import type { Finding } from '../doctor/finding.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import { terminalStyle } from '../terminal/terminal-style.ts'
import { SERVER_FLAG } from './server-flag.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  operands: '',
  maxOperands: 0,
  summary: 'Look for everything that could be wrong here, and say how to mend it',
  details: [
    'Looks at the settings, the server, the clock, the terminal, the browser and the files that keyferry keeps. Changes nothing. The exit code is 1 when something is broken.',
  ],
  flags: [SERVER_FLAG, { name: 'json', summary: 'One JSON object' }],
  examples: [{ command: 'keyferry doctor', what: 'What is wrong on this machine?' }],
  run: async (words, parts) => await doctor(words, parts),
}

const SIGNS = { good: 'ok  ', doubtful: 'note', broken: 'FAIL' } as const

/** Examine everything and write the findings to standard output.
 * @returns 0, or 1 where something is broken */
async function doctor(words: Words, parts: Parts): Promise<number> {
  const { examine } = await import('../doctor/examine.ts')
  const findings = await examine(words.text('server'), parts)
  parts.stdout.write(words.has('json') ? `${JSON.stringify({ findings })}\n` : asText(findings, parts))
  return findings.some(({ state }) => state === 'broken') ? EXIT.general : EXIT.ok
}

function asText(findings: readonly Finding[], { stdout, env, platform }: Parts): string {
  const style = terminalStyle(stdout, env, platform)
  return findings
    .map(({ state, about, what, mend }) => {
      const line = `${state === 'broken' ? style.bold(SIGNS[state]) : SIGNS[state]}  ${about}: ${what}\n`
      return mend === null ? line : `${line}      ${mend}\n`
    })
    .join('')
}
