import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Machine, MachineChange, MachineGrant, NewMachine } from './answers.ts'
import { call } from './api.ts'

const MACHINES = ['machines']
const REFETCH_MS = 15_000

const machineKey = (id: string) => ['machine', id]

/** The machines of the workspace, by name. */
export function useMachines() {
  return useQuery({
    queryKey: MACHINES,
    queryFn: () => call('GET', '/api/v1/machines', { query: { limit: 1_000 } }),
  })
}

/** One machine. A call of the machine shows while the page is open. */
export function useMachine(id: string) {
  return useQuery({
    queryKey: machineKey(id),
    queryFn: () => call('GET', '/api/v1/machines/{machine_id}', { params: { machine_id: id } }),
    refetchInterval: REFETCH_MS,
  })
}

export function useCreateMachine() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewMachine) => call('POST', '/api/v1/machines', { body }),
    onSuccess: (machine) => keep(client, machine),
  })
}

/** Rename, describe, disable or enable a machine, or let it read the audit log. */
export function useUpdateMachine(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: MachineChange) =>
      call('PUT', '/api/v1/machines/{machine_id}', { params: { machine_id: id }, body }),
    onSuccess: (machine) => keep(client, machine),
  })
}

async function keep(client: QueryClient, machine: Machine): Promise<void> {
  client.setQueryData(machineKey(machine.id), machine)
  await client.invalidateQueries({ queryKey: MACHINES })
}

export function useDeleteMachine(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('DELETE', '/api/v1/machines/{machine_id}', { params: { machine_id: id } }),
    onSuccess: async () => {
      client.setQueryData<Machine[]>(MACHINES, (machines) => machines?.filter((each) => each.id !== id))
      await client.invalidateQueries({ queryKey: MACHINES })
    },
  })
}

/** Let the machine use a bundle, or change what it may do with it. */
export function useGrantBundle(id: string) {
  return useMachineChange(id, ({ bundleId, scope }: { bundleId: string; scope: MachineGrant['scope'] }) =>
    call('PUT', '/api/v1/machines/{machine_id}/bundles/{bundle_id}', {
      params: { machine_id: id, bundle_id: bundleId },
      body: { scope },
    }),
  )
}

export function useRevokeBundle(id: string) {
  return useMachineChange(id, (bundleId: string) =>
    call('DELETE', '/api/v1/machines/{machine_id}/bundles/{bundle_id}', {
      params: { machine_id: id, bundle_id: bundleId },
    }),
  )
}

/** A change of one machine, after which its page and the list are fetched again. */
export function useMachineChange<Variables, Data>(
  id: string,
  change: (variables: Variables) => Promise<Data>,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    // A token in the answer must not stay in memory with it.
    gcTime: 0,
    onSuccess: () => refreshMachine(client, id),
  })
}

async function refreshMachine(client: QueryClient, id: string): Promise<void> {
  await client.invalidateQueries({ queryKey: machineKey(id) })
  await client.invalidateQueries({ queryKey: MACHINES })
}
