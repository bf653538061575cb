import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Invitation, Member, Role, Tenant } from './answers.ts'
import { call } from './api.ts'
import { optimistic } from './optimistic.ts'
import { toldApart } from './workspace-names.ts'

/** How a role is called on the pages. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', member: 'Member' }

export const TENANTS = ['tenants']
const MEMBERS = ['members']
const INVITATIONS = ['invitations']

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

/** The person's workspaces, by name; equal names get the beginning of the id. */
export function useTenants() {
  return useQuery({
    queryKey: TENANTS,
    queryFn: () => call('GET', '/api/v1/tenants'),
    select: toldApart<Tenant>,
    staleTime: 60_000,
  })
}

/** What an invitation offers, by its token. */
export function useInvitationPreview(token: string) {
  return useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call('POST', '/api/v1/invitations/preview', { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Join by an invitation; the page stays in its workspace. */
export function useAcceptInvitation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => call('POST', '/api/v1/invitations/accept', { body: { token } }),
    onSuccess: () => client.invalidateQueries({ queryKey: TENANTS }),
  })
}
