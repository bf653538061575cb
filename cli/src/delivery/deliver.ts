import type { Parts } from '../ground/parts.ts'
import { namesMachine } from '../machine/speaker.ts'
import type { Ask } from './ask.ts'
import { type Asking, deliverToPerson } from './deliver-to-person.ts'
import type { Delivered } from './delivered-values.ts'

/** Get the values: as a machine if this environment has its credential, else by a request that a person approves.
 * @throws CliError */
export async function deliver(ask: Ask, parts: Parts): Promise<Delivered> {
  return await deliverAs(ask, parts, { mayAsk: true })
}

/** Get the values without asking a person: as a machine, or by a remembered approval.
 * @throws PersonNeeded · CliError */
export async function deliverUnasked(ask: Ask, parts: Parts): Promise<Delivered> {
  return await deliverAs(ask, parts, { mayAsk: false })
}

async function deliverAs(ask: Ask, parts: Parts, asking: Asking): Promise<Delivered> {
  if (!namesMachine(ask.as, parts.env)) return await deliverToPerson(ask, parts, asking)
  const { findCredential } = await import('../machine/credential.ts')
  const credential = findCredential(ask.as, ask.server, parts)
  if (credential === null) return await deliverToPerson(ask, parts, asking)
  const { deliverToMachine } = await import('./deliver-to-machine.ts')
  return await deliverToMachine(ask, credential, parts)
}
