import { usageError } from '../base/cli-error.ts'
import type { Environment } from '../base/parts.ts'
import { printable } from '../base/printable.ts'

// What agents set in the environment of the commands that they run. CURSOR_TRACE_ID is left out: a person's terminal in
// that editor has it too.
const MARKS: readonly (readonly [variable: string, agent: string])[] = [
  ['CLAUDECODE', 'claude-code'],
  ['CLAUDE_CODE', 'claude-code'],
  ['CODEX_SANDBOX', 'codex'],
  ['CODEX_THREAD_ID', 'codex'],
  ['CURSOR_AGENT', 'cursor'],
  ['COPILOT_AGENT', 'copilot'],
  ['COPILOT_CLI', 'copilot'],
  ['GEMINI_CLI', 'gemini-cli'],
  ['OPENCODE', 'opencode'],
  ['AUGMENT_AGENT', 'augment'],
  ['CLINE_ACTIVE', 'cline'],
  ['GOOSE_TERMINAL', 'goose'],
  ['JUNIE_DATA', 'junie'],
  ['JUNIE_SHIM_PATH', 'junie'],
]
// AGENT is a common word; these agents are known to use it.
const NAMED_BY_AGENT = ['amp', 'goose']
const MAX_LENGTH = 80

/** The AI agent that started this client, as it says itself; null without one. Well-meaning agents say so; a variable
 * that is unset hides any. */
export function detectAgent(env: Environment): string | null {
  const named = env['AI_AGENT'] || (NAMED_BY_AGENT.includes(env['AGENT'] ?? '') ? env['AGENT'] : '')
  if (named) return printable(named, MAX_LENGTH)
  return MARKS.find(([variable]) => (env[variable] ?? '') !== '')?.[1] ?? null
}

/** An agent has to say why it needs an approval.
 * @param reasonFor what it has to say: `why you change the bundle`
 * @throws CliError usage */
export function requireReason(
  { agent, reason }: { readonly agent: string | null; readonly reason: string | null },
  reasonFor: string,
): void {
  if (agent === null || reason !== null) return
  throw usageError(
    `${agent} started this command, so a reason is required`,
    `Add --reason TEXT: say in one sentence ${reasonFor}.`,
  )
}
