import { once } from 'node:events'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import { printable } from '../base/printable.ts'
import { VERSION } from '../base/version.ts'
import type { RunHost } from './approved-run.ts'
import { Runs } from './runs.ts'
import { answer, INPUT, OUTPUT } from './tool.ts'

const AGENT_LENGTH = 80

const DESCRIPTION = [
  'Run one command with secrets in its environment. A person sees the whole command in the browser and approves or denies it.',
  'You get the exit code and the end of the output, in which the secrets are replaced by their names.',
  'If the result is "waiting", show the person the address and the check code, then call again with the same arguments.',
].join(' ')

const CAPABILITIES = z.looseObject({ elicitation: z.looseObject({ url: z.unknown().optional() }).optional() })
const INFO = z.looseObject({ name: z.string() })
const ENVELOPE = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: CAPABILITIES,
  [CLIENT_INFO_META_KEY]: INFO.optional(),
})

type McpHost = Omit<RunHost, 'agent' | 'openLink'>

/** Serve the tool `run` over stdin and stdout, until stdin ends.
 * @param agent the agent that started this client; a client's own name comes first
 * Source: Model Context Protocol, revisions 2025-11-25 and 2026-07-28. */
export async function serveMcp(host: McpHost, agent: string | null): Promise<void> {
  const runs = new Runs()
  const serving = serveStdio(() => serverOf(runs, host, agent))
  // The library pauses it when a line is too long to be a message.
  await Promise.race(['end', 'close', 'pause'].map((event) => once(process.stdin, event)))
  await runs.cancelAll()
  await serving.close()
}

function serverOf(runs: Runs, host: McpHost, agent: string | null): McpServer {
  const server = new McpServer({ name: 'keyferry', version: VERSION }, { capabilities: { tools: {} } })
  server.registerTool(
    'run',
    {
      title: 'Run a command with approved secrets',
      description: DESCRIPTION,
      inputSchema: INPUT,
      outputSchema: OUTPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    async (input, context) => {
      const { info, capabilities } = clientOf(server, context)
      const name = printable(info?.name ?? '', AGENT_LENGTH) || (agent ?? 'MCP client')
      const openLink = capabilities?.elicitation?.url === undefined ? null : () => undefined
      return await answer(input, { runs, host: { ...host, agent: name, openLink }, context })
    },
  )
  return server
}

// Before revision 2026-07-28 a client says it once; since then, with each call.
function clientOf({ server }: McpServer, { mcpReq }: ServerContext) {
  const { data: said } = ENVELOPE.safeParse(mcpReq.envelope)
  return {
    info: said?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion(),
    capabilities: said?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities(),
  }
}
