import type { CommandGroups } from '../command-line/command.ts'
import { auditCommand } from './audit.ts'
import { receiptCommand } from './receipt.ts'

export const commands: CommandGroups = { CI: [receiptCommand, auditCommand] }
