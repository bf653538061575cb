import { type CliError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { parseObject } from '../base/shape.ts'
import { callEndpoint } from './endpoint-call.ts'
import { isLoopback } from './server-address.ts'
import { readable } from './server-failure.ts'

const TIMEOUT_MS = 10_000

/** Whether the library of this server is the caller's own without a sign-in. Only a server on this machine can be: one
 * elsewhere that says so would get the values in the clear.
 * @throws CliError network */
export async function isOwnLibrary(server: string, { exchange }: Pick<Parts, 'exchange'>): Promise<boolean> {
  if (!isLoopback(new URL(server).hostname)) return false
  try {
    const answer = await callEndpoint({ server, exchange }, 'getSession', { timeoutMs: TIMEOUT_MS })
    return parseObject(answer.body)?.['auth_mode'] === 'local'
  } catch (error) {
    throw readable(error, server)
  }
}

/** The error for --receipt where no approval is needed. */
export function noReceiptHere(): CliError {
  return usageError(
    '--receipt needs a server where people sign in',
    'Omit --receipt: without an approval there is no receipt.',
  )
}
