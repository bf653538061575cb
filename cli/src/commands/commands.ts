import type { Command, CommandGroups } from '../command-line/command.ts'
import { auditCommand } from './audit.ts'
import { completionOf } from './completion.ts'
import { composeCommand } from './compose.ts'
import { diffCommand } from './diff.ts'
import { doctorCommand } from './doctor.ts'
import { editCommand } from './edit.ts'
import { forgetCommand } from './forget.ts'
import { importCommand } from './import.ts'
import { initCommand } from './init.ts'
import { lsCommand } from './ls.ts'
import { mcpCommand } from './mcp.ts'
import { openCommand } from './open.ts'
import { pullCommand } from './pull.ts'
import { receiptCommand } from './receipt.ts'
import { releaseCommand } from './release.ts'
import { resumeCommand } from './resume.ts'
import { runCommand } from './run.ts'
import { selfCommand } from './self.ts'
import { setCommand } from './set.ts'
import { statusCommand } from './status.ts'
import { trustKeyCommand } from './trust-key.ts'
import { unsetCommand } from './unset.ts'
import { whoamiCommand } from './whoami.ts'

const verbs: CommandGroups = {
  Use: [runCommand, pullCommand, composeCommand, openCommand],
  Change: [importCommand, setCommand, unsetCommand, editCommand],
  Look: [lsCommand, diffCommand, statusCommand, receiptCommand, auditCommand],
  'CI and agents': [whoamiCommand, mcpCommand, resumeCommand, releaseCommand],
  'This machine': [initCommand, doctorCommand, forgetCommand, trustKeyCommand, selfCommand],
}

const completion = completionOf(Object.values(verbs).flat())

/** Every verb, as help groups them. */
export const GROUPS: CommandGroups = {
  ...verbs,
  'This machine': [...(verbs['This machine'] ?? []), completion],
}

export const commands: readonly Command[] = Object.values(GROUPS).flat()
