import { followCommandLine } from './follow-command-line.ts'
import { realParts } from './real-parts.ts'

/** Follow the command line of this process, and exit.
 * @param openAtStart the file descriptors that were open before the client opened any; empty where the system does
 *   not tell */
export async function main(openAtStart: readonly number[]): Promise<never> {
  const args = process.argv.slice(2)
  process.exit(await followCommandLine(args, realParts(args, openAtStart)))
}
