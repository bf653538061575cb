import { EXIT } from '../base/cli-error.ts'
import type { Command, CommandGroups } from '../command-line/command.ts'
import { detectAgent } from '../delivery/agent.ts'
import { libraryHere, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'

const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Serve AI agents a tool that runs approved commands (MCP)',
  details: [
    'Serves the tool run of the Model Context Protocol over standard input and output. Each call names a bundle, the variables, the program with its arguments and a reason. A person sees all of it on the approval page. After the approval, keyferry runs exactly that command once, without a shell and without input. It returns the exit code and the end of the output, and replaces the values by the names of their variables.',
    'No tool returns a value or lists variables.',
  ],
  flags: [SERVER_FLAG, WORKSPACE_FLAG],
  examples: {
    'keyferry mcp': 'Start it from the configuration of an agent',
  },
  run: async (words, parts) => {
    const { serveMcp } = await import('./serve.ts')
    await serveMcp({ parts, ...(await libraryHere(words, parts)) }, detectAgent(parts.env))
    return EXIT.ok
  },
}

export const commands: CommandGroups = { Agents: [mcpCommand] }
