import type { Parts } from '../base/parts.ts'
import { examineFiles } from './files.ts'
import type { Finding } from './finding.ts'
import { examineMachine } from './machine.ts'
import { examineServer } from './server.ts'
import { examineTerminal } from './terminal.ts'

/** Check everything that a command depends on, in the order in which commands use it. */
export async function examine(serverFlag: string | null, parts: Parts): Promise<readonly Finding[]> {
  const { findings, server } = await examineServer(serverFlag, parts)
  const machine = await examineMachine(server, parts)
  return [...findings, ...machine, ...examineTerminal(parts), ...examineFiles(parts)]
}
