import type { Endpoint } from './endpoint.ts'
import * as delivery from './schemas/delivery.ts'
import { Key, KeyParams } from './schemas/key.ts'
import * as version from './schemas/key-version.ts'
import { MemberParams } from './schemas/member.ts'
import { Ok } from './schemas/text.ts'

/** What a workspace remembers: old values, deliveries, and who holds what. */
export const memoryEndpoints = {
  listKeyVersions: {
    method: 'GET',
    path: '/api/v1/keys/{key_id}/versions',
    access: 'member',
    summary: 'The versions of a key, newest first',
    params: KeyParams,
    query: version.ListVersionsQuery,
    responses: { 200: version.KeyVersionList },
    errors: [400, 404],
  },
  restoreKeyVersion: {
    method: 'POST',
    path: '/api/v1/keys/{key_id}/restore',
    access: 'owner',
    summary: 'Make an older value the newest version',
    params: KeyParams,
    body: version.RestoreVersion,
    responses: { 200: Key },
    errors: [400, 404, 409],
  },
  destroyKeyVersion: {
    method: 'DELETE',
    path: '/api/v1/keys/{key_id}/versions/{version}',
    access: 'owner',
    summary: 'Destroy the value of an older version; who set it and when stays',
    params: version.KeyVersionParams,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  },
  listHolders: {
    method: 'GET',
    path: '/api/v1/keys/{key_id}/holders',
    access: 'member',
    summary: 'Who was given which version of a key, the oldest version first',
    params: KeyParams,
    query: delivery.ListHoldersQuery,
    responses: { 200: delivery.HolderList },
    errors: [400, 404],
  },
  dismissHolder: {
    method: 'DELETE',
    path: '/api/v1/keys/{key_id}/holders/{holder}',
    access: 'owner',
    summary: 'Take a holder off the list until it is given the key again',
    params: delivery.HolderParams,
    responses: { 200: Ok },
    errors: [404],
  },
  listHoldings: {
    method: 'GET',
    path: '/api/v1/members/{user_id}/holdings',
    access: 'owner',
    summary: 'What a person was given, also after the person was removed',
    params: MemberParams,
    query: delivery.ListHoldingsQuery,
    responses: { 200: delivery.HoldingList },
    errors: [400, 404],
  },
  listStaleKeys: {
    method: 'GET',
    path: '/api/v1/stale-keys',
    access: 'member',
    summary: 'Keys with holders who were given an older version last, by name',
    query: delivery.ListStaleKeysQuery,
    responses: { 200: delivery.StaleKeyList },
    errors: [400],
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/deliveries',
    access: 'owner',
    summary: 'Deliveries of the workspace, newest first',
    query: delivery.ListDeliveriesQuery,
    responses: { 200: delivery.DeliveryList },
    errors: [400],
  },
  getDelivery: {
    method: 'GET',
    path: '/api/v1/deliveries/{delivery_id}',
    access: 'owner',
    summary: 'A delivery: who approved it for whom, and the version of each value',
    params: delivery.DeliveryParams,
    responses: { 200: delivery.Delivery },
    errors: [404],
  },
} as const satisfies Record<string, Endpoint>
