import { followCommandLine } from './command-line.ts'
import { realSurroundings } from './real-surroundings.ts'

const surroundings = realSurroundings()
process.exit(await followCommandLine(process.argv.slice(2), surroundings))
