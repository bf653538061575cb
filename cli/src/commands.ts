import type { Command } from './command.ts'
import { importCommand } from './commands/import.ts'
import { pullCommand } from './commands/pull.ts'
import { runCommand } from './commands/run.ts'

/** Every verb, in the order that help lists them. */
export const commands: readonly Command[] = [runCommand, pullCommand, importCommand]
