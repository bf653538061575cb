import type { Command, CommandGroups } from '../command-line/command.ts'
import { completionCommand } from './completion.ts'
import { composeCommand } from './compose.ts'
import { diffCommand } from './diff.ts'
import { editCommand } from './edit.ts'
import { forgetCommand } from './forget.ts'
import { importCommand } from './import.ts'
import { initCommand } from './init.ts'
import { moduleCommands } from './joined-modules.ts'
import { lsCommand } from './ls.ts'
import { openCommand } from './open.ts'
import { pullCommand } from './pull.ts'
import { releaseCommand } from './release.ts'
import { restoreCommand } from './restore.ts'
import { runCommand } from './run.ts'
import { setCommand } from './set.ts'
import { unsetCommand } from './unset.ts'
import { whoamiCommand } from './whoami.ts'

/** Every verb, as help groups them. */
export const GROUPS: CommandGroups = {
  Common: [
    runCommand,
    pullCommand,
    setCommand,
    importCommand,
    editCommand,
    unsetCommand,
    restoreCommand,
    lsCommand,
    diffCommand,
    openCommand,
  ],
  Agents: [...moduleCommands('Agents'), releaseCommand],
  CI: [whoamiCommand, ...moduleCommands('CI')],
  Rare: [initCommand, ...moduleCommands('Rare'), composeCommand, forgetCommand, completionCommand],
}

export const commands: readonly Command[] = Object.values(GROUPS).flat()
