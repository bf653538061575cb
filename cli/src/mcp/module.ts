import { EXIT } from '../base/cli-error.ts'
import type { Command, CommandGroups } from '../command-line/command.ts'
import { detectAgent } from '../delivery/agent.ts'
import { libraryHere, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'

const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Serve AI agents one tool that runs approved commands (Model Context Protocol)',
  details: [
    'Serves the tool run over standard input and output. Each call names a bundle, the keys, the program with its arguments and a reason. A person sees all of it on the approval page. After the approval, keyferry runs exactly that command once, without a shell and without input. It returns the exit code and the end of the output, and replaces the values by their names.',
    'No tool returns a value or lists names. If the agent runs its own commands in a sandbox, it cannot read the values from the keyferry process either.',
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
