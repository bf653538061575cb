import { appShots, emptyShots } from './screenshot-app.ts'
import { approvalShots } from './screenshot-approval.ts'
import { consentShots } from './screenshot-consent.ts'
import { depositShots } from './screenshot-deposits.ts'
import { environmentShots } from './screenshot-environments.ts'
import { machineShots } from './screenshot-machines.ts'
import { memoryShots } from './screenshot-memory.ts'
import { nameShots } from './screenshot-names.ts'
import { passkeyShots } from './screenshot-passkeys.ts'
import { peopleShots } from './screenshot-people.ts'
import { proposalShots } from './screenshot-proposals.ts'
import { returnShots } from './screenshot-returns.ts'
import { webhookShots } from './screenshot-webhooks.ts'
import { workspaceShots } from './screenshot-workspaces.ts'
import type { Shot, World } from './shot.ts'

/** The states of the app, and what they are about. */
export const WORLDS = {
  library: appShots,
  empty: emptyShots,
  approval: approvalShots,
  people: peopleShots,
  memory: memoryShots,
  passkeys: passkeyShots,
  environments: environmentShots,
  workspaces: workspaceShots,
  consent: consentShots,
  deposits: depositShots,
  proposals: proposalShots,
  names: nameShots,
  returns: returnShots,
  machines: machineShots,
  webhooks: webhookShots,
} as const satisfies Readonly<Record<string, () => Promise<World>>>

/** Take every state whose name contains `wanted`, on real servers. The whole name of a state takes only that one, and
 * starts no more servers once it is found. */
export async function takeShots(wanted: string, take: (shot: Shot) => Promise<void>): Promise<void> {
  for (const open of Object.values(WORLDS)) {
    const { list, servers } = await open()
    try {
      const named = list.filter(({ name }) => name === wanted)
      for (const shot of named.length > 0 ? named : list.filter(({ name }) => name.includes(wanted)))
        await take(shot)
      if (named.length > 0) return
    } finally {
      await Promise.all(servers.map((server) => server.dispose()))
    }
  }
}
