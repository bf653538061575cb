import { followCommandLine } from './follow-command-line.ts'
import { realParts } from './real-parts.ts'

const args = process.argv.slice(2)
process.exit(await followCommandLine(args, realParts(args)))
