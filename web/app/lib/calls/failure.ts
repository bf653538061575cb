import { CallError } from '@keyferry/contract/client'
import { errorRow } from '@keyferry/contract/error-codes'
import { capital } from '../words/counted.ts'

/** What the page shows about a failed call, and what the person can do. */
export type Failure = {
  status: number | null
  code: string
  message: string
  details: Readonly<Record<string, unknown>>
}

/** A failure that is no answer of the server. Its message is for the person. */
export class Problem extends Error {
  override readonly name = 'Problem'
}

/** Whether a call failed because the person is not, or not any more, a member of its workspace. */
export function isForeign(error: unknown): boolean {
  return error instanceof CallError && error.status === 403 && error.message === 'Forbidden: not a member'
}

// The interface fixes what the server says; a person needs to know who can help.
const REFUSALS: Readonly<Record<string, string>> = {
  Forbidden: 'You are not allowed to do this.',
  'Forbidden: owner role required':
    'Only an owner of this workspace can do this. The Members page names the owners: ask one of them.',
  'changed after you read it; read it again':
    'Another person changed this after you opened it. The page now shows what is stored.',
  'Forbidden: not a member': 'You are not a member of this workspace. An owner of it can invite you.',
  'Forbidden: user is inactive': 'Your account is disabled. Ask the administrator of this server.',
}

/** Turn the error of a call into a message of one or two sentences. `status` is null when there was no answer. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof Problem) return { status: null, code: 'problem', message: error.message, details: {} }
  if (!(error instanceof CallError)) return navigator.onLine ? UNREACHABLE : OFFLINE
  const { status, code, details } = error
  return { status, code, details, message: messageOf(error) }
}

const UNREACHABLE: Failure = {
  status: null,
  code: 'unreachable',
  message: 'The server does not answer. Check that it runs, then try again.',
  details: {},
}

const OFFLINE: Failure = {
  ...UNREACHABLE,
  message: 'You are offline. What you typed stays here: try again when you are online.',
}

function messageOf({ status, code, message, retryAfterSeconds }: CallError): string {
  if (status === 429) return `Too many requests. Try again ${waitText(retryAfterSeconds)}.`
  return REFUSALS[message] ?? errorRow(code)?.text ?? sentence(message.replace(/^Forbidden: /, ''))
}

/** Whether a call failed because another person changed what it would overwrite. A notice about the fields says it. */
export function isOvertaken(error: unknown): boolean {
  const { code, details } = describeFailure(error)
  return code === 'version_conflict' || (code === 'changed' && 'fields' in details)
}

/** What failed, and why; null while there is no error. `act`: also the title of a dialog, as “Delete dev/web?”. */
export function failureText(error: unknown, act: string): string | null {
  const what = act.replace(/^New/, 'create the').replace(/\?$/, '')
  if (error === null) return null
  return `Could not ${what.charAt(0).toLowerCase()}${what.slice(1)}: ${describeFailure(error).message}`
}

/** Whether another try can succeed by itself: there was no answer, or the server is unavailable. */
export function isPassing(error: unknown): boolean {
  const { status } = describeFailure(error)
  return status === null || status >= 502
}

/** Whether the person can do the same again with another result. A refusal stays one. */
export function canTryAgainAfter({ status }: Pick<Failure, 'status'>): boolean {
  return status === null || status >= 500 || status === 429
}

function waitText(seconds: number | null): string {
  if (seconds === null) return 'in a moment'
  return seconds < 90 ? `in ${seconds} seconds` : `in ${Math.ceil(seconds / 60)} minutes`
}

function sentence(message: string): string {
  return `${capital(message)}${/[.!?]$/.test(message) ? '' : '.'}`
}
