import type { Command, Words } from '../command.ts'
import type { Finding } from '../doctor/finding.ts'
import { EXIT } from '../exit-code.ts'
import type { Surroundings } from '../surroundings.ts'
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
  run: async (words, surroundings) => await doctor(words, surroundings),
}

const SIGNS = { good: 'ok  ', doubtful: 'note', broken: 'FAIL' } as const

/** Examine everything and write the findings to standard output.
 * @returns 0, or 1 where something is broken */
async function doctor(words: Words, surroundings: Surroundings): Promise<number> {
  const { examine } = await import('../doctor/examine.ts')
  const findings = await examine(words, surroundings)
  surroundings.stdout.write(
    words.has('json') ? `${JSON.stringify({ findings })}\n` : asText(findings, surroundings),
  )
  return findings.some(({ state }) => state === 'broken') ? EXIT.general : EXIT.ok
}

function asText(findings: readonly Finding[], { stdout, env, platform }: Surroundings): string {
  const style = terminalStyle(stdout, env, platform)
  return findings
    .map(({ state, about, what, mend }) => {
      const line = `${state === 'broken' ? style.bold(SIGNS[state]) : SIGNS[state]}  ${about}: ${what}\n`
      return mend === null ? line : `${line}      ${mend}\n`
    })
    .join('')
}
