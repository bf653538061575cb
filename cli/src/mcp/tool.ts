import { BUNDLE_NAME, hasWholeParts } from '@keyferry/contract/env/names'
import { LIMITS } from '@keyferry/contract/limits'
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { CliError } from '../base/cli-error.ts'
import type { Captured } from '../program/capture.ts'
import type { ApprovedRun, RunApproval, RunHost } from './approved-run.ts'
import type { KeptRun, Runs } from './runs.ts'

// By default, clients give up on a call after 60 seconds.
const PATIENCE_MS = 45_000
const LONGEST_RUN_S = 600
const USUAL_RUN_S = 120
const APPROVAL = 'approval'

/** What the tool takes. */
export const INPUT = z.strictObject({
  bundle: z
    .string()
    .max(LIMITS.nameLength)
    .regex(BUNDLE_NAME)
    .refine(hasWholeParts, 'must not begin or end with /, or contain //')
    .describe('Name of the bundle, for example dev/app'),
  keys: z.array(z.string()).min(1).describe('The variables that the program needs, and no others'),
  argv: z.array(z.string()).min(1).describe('The program and its arguments. There is no shell'),
  reason: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.reasonLength)
    .describe('Why, in one sentence, for the person who approves'),
  cwd: z.string().default('.').describe('Folder to run in'),
  timeout_s: z
    .int()
    .min(1)
    .max(LONGEST_RUN_S)
    .default(USUAL_RUN_S)
    .describe('Seconds that the program may run'),
})

/** What the tool returns. */
export const OUTPUT = z.object({
  state: z.enum(['ended', 'waiting']),
  exit_code: z.int().optional(),
  timed_out: z.boolean().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  waiting_for: z.string().optional(),
  approval_url: z.string().optional(),
  check_code: z.string().optional(),
})

type Calling = { readonly runs: Runs; readonly host: RunHost; readonly context: ServerContext }
type ToolAnswer = CallToolResult | InputRequiredResult

/** Answer one call of the tool: begin a run or continue one, until it ends, the client has to show a page, or the
 * client would lose patience. */
export async function answer(
  input: z.infer<typeof INPUT>,
  { runs, host, context }: Calling,
): Promise<ToolAnswer> {
  const { mcpReq } = context
  const { timeout_s: timeoutS, ...wanted } = input
  const kept = runs.continueOrBegin(mcpReq.requestState<string>(), { ...wanted, timeoutS }, host)
  if (kept === null) return failed('too many commands run at once', 'Wait until one of them ends.')
  const cancel = (): void => void runs.cancel(kept)
  mcpReq.signal.addEventListener('abort', cancel, { once: true })
  try {
    if (isDeclined(mcpReq.inputResponses)) {
      await runs.cancel(kept)
      return failed('the person did not open the approval page', 'Ask them before you try again.')
    }
    return await next(kept, { runs, host })
  } catch (error) {
    runs.forget(kept)
    if (error instanceof CliError) return failed(error.message, error.next)
    throw error
  } finally {
    mcpReq.signal.removeEventListener('abort', cancel)
  }
}

async function next(kept: KeptRun, { runs, host }: Omit<Calling, 'context'>): Promise<ToolAnswer> {
  const { run } = kept
  const isToBeShown = host.openLink !== null && !kept.isShown
  const steps: Promise<Captured | RunApproval | null>[] = [run.ended, pause(PATIENCE_MS)]
  const step = await Promise.race(isToBeShown ? [run.asked, ...steps] : steps)
  if (step === null) return result(waiting(run))
  if ('link' in step) {
    kept.isShown = true
    return toBeShown(step, kept.id)
  }
  runs.forget(kept)
  return result(ended(step))
}

function isDeclined(responses: Record<string, unknown> | undefined): boolean {
  const response = inputResponse(responses, APPROVAL)
  return response.kind === 'elicit' && response.action !== 'accept'
}

function toBeShown({ link, userCode, isReturned }: RunApproval, id: string): InputRequiredResult {
  const code = isReturned
    ? `If the page shows a code, it must be ${userCode}.`
    : `The page must show the code ${userCode}.`
  const message = `Approve or deny the command in Keyferry. ${code}`
  const page = inputRequired.elicitUrl({ url: link, message })
  return inputRequired({ inputRequests: { [APPROVAL]: page }, requestState: id })
}

function waiting({ state, approval }: ApprovedRun): z.infer<typeof OUTPUT> {
  const page = approval === null ? {} : { approval_url: approval.link, check_code: approval.userCode }
  return { state: 'waiting', waiting_for: state, ...page }
}

function ended({ exitCode, isTimedOut, stdout, stderr }: Captured): z.infer<typeof OUTPUT> {
  return {
    state: 'ended',
    exit_code: exitCode,
    timed_out: isTimedOut,
    stdout: shown(stdout),
    stderr: shown(stderr),
  }
}

function shown({ text, leftOut }: Captured['stdout']): string {
  return leftOut === 0 ? text : `[${leftOut} bytes left out]\n${text}`
}

function result(output: z.infer<typeof OUTPUT>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output }
}

function failed(message: string, nextStep: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: `${message}\n${nextStep}` }] }
}

function pause(milliseconds: number): Promise<null> {
  return new Promise((resolve) => void setTimeout(() => resolve(null), milliseconds).unref())
}
