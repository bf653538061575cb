import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Invitation, Member, Role } from './answers.ts'
import { call } from './api.ts'
import { optimistic } from './optimistic.ts'
import { SESSION } from './session.ts'

/** How a role is called on the pages. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', member: 'Member' }

const MEMBERS = ['members']
const INVITATIONS = ['invitations']

// All but who is signed in: the frame of the app stays while everything within it is fetched anew.
const isOfTenant = ({ queryKey }: { queryKey: QueryKey }) => queryKey[0] !== SESSION[0]

export function useMembers() {
  return useQuery({ queryKey: MEMBERS, queryFn: () => call('GET', '/api/v1/members') })
}

export function useChangeRole() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: Role }) =>
      call('PUT', '/api/v1/members/{user_id}', { params: { user_id: userId }, body: { role } }),
    ...optimistic<Member[], { userId: string; role: Role }>(client, MEMBERS, (members, { userId, role }) =>
      members.map((member) => (member.user_id === userId ? { ...member, role } : member)),
    ),
  })
}

export function useRemoveMember() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (userId: string) =>
      call('DELETE', '/api/v1/members/{user_id}', { params: { user_id: userId } }),
    ...optimistic<Member[], string>(client, MEMBERS, (members, userId) =>
      members.filter((member) => member.user_id !== userId),
    ),
  })
}

/** Open invitations; asked for by owners only. */
export function useInvitations(enabled: boolean) {
  return useQuery({ queryKey: INVITATIONS, queryFn: () => call('GET', '/api/v1/invitations'), enabled })
}

export function useInvite() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { email: string; role: Role }) => call('POST', '/api/v1/invitations', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: INVITATIONS }),
  })
}

export function useRevokeInvitation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      call('DELETE', '/api/v1/invitations/{invitation_id}', { params: { invitation_id: id } }),
    ...optimistic<Invitation[], string>(client, INVITATIONS, (invitations, id) =>
      invitations.filter((invitation) => invitation.id !== id),
    ),
  })
}

export function useTenants() {
  return useQuery({ queryKey: ['tenants'], queryFn: () => call('GET', '/api/v1/tenants'), staleTime: 60_000 })
}

/** Work in another tenant: everything that was fetched belongs to the former one and is dropped. */
export function useSwitchTenant() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (tenantId: string) =>
      call('POST', '/api/v1/tenants/switch', { body: { tenant_id: tenantId } }),
    onSuccess: () => client.resetQueries({ predicate: isOfTenant }),
  })
}

export function useAcceptInvitation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => call('POST', '/api/v1/invitations/accept', { body: { token } }),
    onSuccess: () => client.resetQueries({ predicate: isOfTenant }),
  })
}
