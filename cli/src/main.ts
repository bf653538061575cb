import { followCommandLine } from './command-line.ts'
import { realSurroundings } from './real-surroundings.ts'

const args = process.argv.slice(2)
process.exit(await followCommandLine(args, realSurroundings(args)))
