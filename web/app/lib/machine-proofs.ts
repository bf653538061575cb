import { useQuery } from '@tanstack/react-query'
import type { NewToken, NewTrust } from './answers.ts'
import { call } from './api.ts'
import { useMachineChange } from './machines.ts'

const KNOCK_MS = 5_000

export function useCreateToken(machineId: string) {
  return useMachineChange(machineId, (body: NewToken) =>
    call('POST', '/api/v1/machines/{machine_id}/tokens', { params: { machine_id: machineId }, body }),
  )
}

/** Create a token in the place of another, which works for `overlapSeconds` longer. */
export function useRotateToken(machineId: string) {
  return useMachineChange(
    machineId,
    ({ tokenId, overlapSeconds }: { tokenId: string; overlapSeconds: number }) =>
      call('POST', '/api/v1/machines/{machine_id}/tokens/{token_id}/rotate', {
        params: { machine_id: machineId, token_id: tokenId },
        body: { overlap_seconds: overlapSeconds },
      }),
  )
}

export function useEndToken(machineId: string) {
  return useMachineChange(machineId, (tokenId: string) =>
    call('DELETE', '/api/v1/machines/{machine_id}/tokens/{token_id}', {
      params: { machine_id: machineId, token_id: tokenId },
    }),
  )
}

export function useCreateTrust(machineId: string) {
  return useMachineChange(machineId, (body: NewTrust) =>
    call('POST', '/api/v1/machines/{machine_id}/trusts', { params: { machine_id: machineId }, body }),
  )
}

export function useEndTrust(machineId: string) {
  return useMachineChange(machineId, (trustId: string) =>
    call('DELETE', '/api/v1/machines/{machine_id}/trusts/{trust_id}', {
      params: { machine_id: machineId, trust_id: trustId },
    }),
  )
}

/** Refused calls with their verified claims; a new one shows while the owner waits for it. */
export function useAttempts(machineId: string) {
  return useQuery({
    queryKey: ['machine', machineId, 'attempts'],
    queryFn: () =>
      call('GET', '/api/v1/machines/{machine_id}/attempts', { params: { machine_id: machineId } }),
    staleTime: 0,
    refetchInterval: KNOCK_MS,
  })
}

export function useAllowAttempt(machineId: string) {
  return useMachineChange(
    machineId,
    ({ fingerprint, ...body }: { fingerprint: string; claims: string[]; broad: boolean }) =>
      call('POST', '/api/v1/machines/{machine_id}/attempts/{fingerprint}/allow', {
        params: { machine_id: machineId, fingerprint },
        body,
      }),
  )
}

export function useDismissAttempt(machineId: string) {
  return useMachineChange(machineId, (fingerprint: string) =>
    call('DELETE', '/api/v1/machines/{machine_id}/attempts/{fingerprint}', {
      params: { machine_id: machineId, fingerprint },
    }),
  )
}
