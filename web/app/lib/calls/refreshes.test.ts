import { endpoints } from '@keyferry/contract'
import { expect, test } from 'vitest'
import { refreshedAt } from './refreshes.ts'

test.each([
  ['updateKey', 'getKey'],
  ['attachKey', 'getBundle'],
  ['importVariables', 'listKeys'],
  ['moveLibrary', 'listBundles'],
  ['revokeBundle', 'getMachine'],
  ['resendWebhookMessage', 'listWebhookMessages'],
  ['changeBundlePolicy', 'getBundlePolicy'],
  ['changeTenantPolicy', 'getTenantPolicy'],
  ['renameTenant', 'getMe'],
  ['acceptInvitation', 'listTenants'],
  ['revokeOwnGrants', 'listGrants'],
  ['changeOwnPassword', 'listSessions'],
  ['renamePasskey', 'listPasskeys'],
  ['renameTenant', 'listTenants'],
  ['acceptInvitation', 'listInvitations'],
  ['changeGroup', 'listGroups'],
  ['deleteGroup', 'getTenantPolicy'],
  ['addApprovalKey', 'listApprovalKeys'],
  ['confirmApprovalKey', 'listLastingActs'],
  ['acceptProposal', 'listWaiting'],
  ['acceptProposal', 'getBundle'],
  ['endProposal', 'listProposals'],
] as const)('%s refreshes %s', (change, answer) => {
  expect(refreshedAt(endpoints[change].path)).toContain(answer)
})

test('a change of the bundles of a machine refreshes no library', () => {
  expect(refreshedAt(endpoints.grantBundle.path)).not.toContain('listKeys')
})
