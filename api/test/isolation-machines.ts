import type { CallParts, Identity, TestApi } from './api.ts'
import type { MachineKind } from './isolation-table.ts'
import type { World } from './isolation-world.ts'

type TestMachine = { id: string; token: string; scope: 'read' | 'deliver' | null }

/** A machine of every kind. */
export type MachinesOfWorld = Readonly<Record<MachineKind, TestMachine>>

export async function createMachines(api: TestApi, world: World): Promise<MachinesOfWorld> {
  const made = (name: string, scope: TestMachine['scope'], audit = false) =>
    createMachine(api, world.owner, { name, scope, audit })
  const machines = {
    'machine that reads': await made('reads', 'read'),
    'machine that delivers': await made('delivers', 'deliver'),
    'machine with the audit log alone': await made('audit', null, true),
    'machine that was stopped': await made('stopped', 'deliver', true),
    'machine with an ended token': await made('ended', 'deliver', true),
    'foreign machine': await createMachine(api, world.foreignOwner, { name: 'f', scope: null, audit: false }),
  } as const
  const stopped = { machine_id: machines['machine that was stopped'].id }
  await api.call('updateMachine', { as: world.owner, params: stopped, body: { is_active: false } })
  await api.call('reportTokens', { body: [{ token: machines['machine with an ended token'].token }] })
  return machines
}

type Draft = { name: string; scope: TestMachine['scope']; audit: boolean }

async function createMachine(
  api: TestApi,
  as: Identity,
  { name, scope, audit }: Draft,
): Promise<TestMachine> {
  const { json } = await api.call('createMachine', { as, body: { name, audit } })
  const token = await api.call('createMachineToken', { as, params: { machine_id: json.id } })
  return { id: json.id, token: token.json.token, scope }
}

type Kind = { world: World; machines: MachinesOfWorld; kind: MachineKind }

/** The headers of a machine of the kind, which is granted the bundle that the call names. */
export async function machineHeaders(
  api: TestApi,
  { world, machines, kind }: Kind,
  { params }: CallParts,
): Promise<Record<string, string>> {
  const { id, token, scope } = machines[kind]
  const bundle = params?.['bundle_id']
  if (scope !== null && bundle !== undefined) {
    const place = { machine_id: id, bundle_id: bundle }
    await api.call('grantBundle', { as: world.owner, params: place, body: { scope } })
  }
  return { authorization: `Bearer ${token}` }
}
