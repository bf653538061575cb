import { ownerNamed, type SignedClient, signedClient } from '../e2e/signed-client.ts'
import { type ApiProcess, SECRET } from './contenders.ts'

/** Who reads. */
export const PEOPLE = ['owner', 'member', 'limited member'] as const

export type Person = (typeof PEOPLE)[number]

/** How many times the processor time of an owner's read one of a member may take: rules and limits make it longer. */
export const OVER_OWNER = { member: 1.3, 'limited member': 2 } as const

/** The people of a workspace.
 * @param limitedTo what the limited member reaches */
export async function peopleOf(
  { address }: Pick<ApiProcess, 'address'>,
  owner: SignedClient,
  limitedTo: string[],
): Promise<Record<Person, SignedClient>> {
  const join = async (name: string, limited_to?: string[]) => {
    const { identity, call } = await ownerNamed(name, address, SECRET)
    const email = `${name}@example.com`
    const body = { email, role: 'member', ...(limited_to && { limited_to }) } as const
    const { token } = await owner.call('POST', '/api/v1/invitations', { body })
    await call('POST', '/api/v1/invitations/accept', { body: { token } })
    return signedClient(address, SECRET, { ...identity, tenantId: owner.identity.tenantId })
  }
  return { owner, member: await join('member'), 'limited member': await join('limited', limitedTo) }
}
