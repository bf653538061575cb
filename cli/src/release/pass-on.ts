import type { Parts } from '../ground/parts.ts'
import type { StateParts } from '../state/state-folder.ts'
import { giveCode } from './give-code.ts'

// A client that hangs must not keep the others from their values: a secret is valid for ten seconds.
const PATIENCE_MS = 2_000
const MAX_OTHERS = 8
const FOR_ANOTHER = /^([0-9a-f]{32})\.([\w-]{43})$/

/** What the page returned for another client of this terminal, whose request it approved too. */
export type ForAnother = { readonly id: string; readonly secret: string }

/** The returns for other clients in a form, `ID.SECRET` each; malformed ones are left out. */
export function readOthers(fields: readonly string[]): readonly ForAnother[] {
  return fields.slice(0, MAX_OTHERS).flatMap((field) => {
    const [, id, secret] = FOR_ANOTHER.exec(field) ?? []
    return id === undefined || secret === undefined ? [] : [{ id, secret }]
  })
}

/** Give each client its own secret, through a socket that only this user reaches. A secret is worth nothing to any other
 * client, because the server asks for the verifier of the request too. Resolves when all have answered, or after 2 s. */
export async function passOn(
  others: readonly ForAnother[],
  parts: StateParts & Pick<Parts, 'clock'>,
): Promise<void> {
  if (others.length === 0) return
  const given = Promise.all(others.map(async ({ id, secret }) => await giveCode(id, secret, parts)))
  await Promise.race([given, parts.clock.sleep(PATIENCE_MS)])
}
