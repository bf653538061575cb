import type { Words } from '../command.ts'
import type { Surroundings } from '../surroundings.ts'
import { examineFiles } from './files.ts'
import type { Finding } from './finding.ts'
import { examineServer } from './server.ts'
import { examineTerminal } from './terminal.ts'

/** Look at everything that a command depends on, in the order in which it would matter. */
export async function examine(words: Words, surroundings: Surroundings): Promise<readonly Finding[]> {
  return [
    ...(await examineServer(words, surroundings)),
    ...examineTerminal(surroundings),
    ...examineFiles(surroundings),
  ]
}
