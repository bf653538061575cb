import { signDeviceForget } from '@keyferry/crypto/device-key'
import { refusedAnswer } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { parseObject } from '../base/shape.ts'
import { callEndpoint } from './endpoint-call.ts'
import { readable, refusal } from './server-failure.ts'

/** End what the server remembers for the terminal that holds this seed.
 * @returns how many approvals ended · @throws CliError */
export async function forgetTerminal(
  server: string,
  seed: Uint8Array,
  { exchange, clock }: Pick<Parts, 'exchange' | 'clock'>,
): Promise<number> {
  const device = signDeviceForget(seed, new Date(clock.epochMs()).toISOString())
  try {
    const answer = await callEndpoint({ server, exchange }, 'forgetDevice', { body: { device } })
    if (answer.status !== 200) throw refusal(answer, server)
    const ended = parseObject(answer.body)?.['ended']
    if (typeof ended !== 'number') throw refusedAnswer('the server did not say how many approvals it forgot')
    return ended
  } catch (error) {
    throw readable(error, server)
  }
}
