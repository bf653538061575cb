import type { Command } from './command.ts'
import { completionCommand } from './commands/completion.ts'
import { doctorCommand } from './commands/doctor.ts'
import { importCommand } from './commands/import.ts'
import { initCommand } from './commands/init.ts'
import { pullCommand } from './commands/pull.ts'
import { resumeCommand } from './commands/resume.ts'
import { runCommand } from './commands/run.ts'
import { statusCommand } from './commands/status.ts'

/** Every verb, in the order that help lists them. */
export const commands: readonly Command[] = [
  runCommand,
  pullCommand,
  importCommand,
  initCommand,
  resumeCommand,
  statusCommand,
  doctorCommand,
  completionCommand,
]
