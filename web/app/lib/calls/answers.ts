import type { endpoints } from '@keyferry/contract'
import type { Answer } from '@keyferry/contract/client'
import type { z } from 'zod'

export type Endpoints = typeof endpoints

export type RequestContext = Answer<Endpoints['getRequestContext']>
export type Candidate = Answer<Endpoints['listCandidates']>[number]
export type Tenant = Answer<Endpoints['listTenants']>[number]
export type RequestBundleEntry = Answer<Endpoints['listRequestBundles']>[number]
export type RequestBundle = Answer<Endpoints['getRequestBundle']>
export type RequestBundleItem = RequestBundle['items'][number]
type BundlePolicy = Answer<Endpoints['getBundlePolicy']>
export type TenantPolicy = Answer<Endpoints['getTenantPolicy']>
export type Policy = BundlePolicy['effective']
export type RulesPlace = NonNullable<TenantPolicy['places']>[number]
export type PolicySetting = BundlePolicy['bundle']
export type PolicyChange = z.input<Endpoints['changeBundlePolicy']['body']>
export type Grant = Answer<Endpoints['listGrants']>[number]
export type ApprovalAnswer = Answer<Endpoints['encryptFromBundle']>
export type NamesOffer = Answer<Endpoints['previewNames']>
export type DepositPlan = Answer<Endpoints['planDeposit']>
export type DepositStep = DepositPlan['plan'][number]
export type Proposal = Answer<Endpoints['listProposals']>[number]
export type ProposalPlan = Answer<Endpoints['planProposal']>
export type WaitingItem = Answer<Endpoints['listWaiting']>[number]
export type Bundle = Answer<Endpoints['listBundles']>[number]
export type Use = Answer<Endpoints['listUse']>[number]
export type BundleWithItems = Answer<Endpoints['getBundle']>
export type BundleItem = BundleWithItems['items'][number]
export type ComparedRow = Answer<Endpoints['compareBundles']>['rows'][number]
export type ComparedCell = ComparedRow['cells'][number]
export type ImportPlan = Answer<Endpoints['importVariables']>
export type ImportStep = ImportPlan['plan'][number]
export type ImportAction = ImportStep['action']
export type ImportChoice = ImportStep['choices'][number]
export type LibraryMove = Answer<Endpoints['moveLibrary']>
export type LibraryMoveRequest = z.input<Endpoints['moveLibrary']['body']>
export type ImportRequest = z.input<Endpoints['importVariables']['body']>
export type Key = Answer<Endpoints['listKeys']>[number]
/** A key as one call answers it, without the bundles that use it. */
export type SavedKey = Answer<Endpoints['updateKey']>
export type KeyWithBundles = Answer<Endpoints['getKey']>
export type KeysChange = z.input<Endpoints['changeKeys']['body']>
export type KeyUse = Answer<Endpoints['findKeyUses']>['bundles'][number]
export type KeyVersion = Answer<Endpoints['listKeyVersions']>[number]
export type Holder = Answer<Endpoints['listHolders']>[number]
export type Holding = Answer<Endpoints['listHoldings']>[number]
export type TypedValue = Answer<Endpoints['listTypedValues']>[number]
export type Delivery = Answer<Endpoints['getDelivery']>
export type AuditEntry = Answer<Endpoints['listAudit']>[number]
export type AuditDays = Answer<Endpoints['countAuditDays']>
export type Me = Answer<Endpoints['getMe']>
export type Member = Answer<Endpoints['listMembers']>[number]
export type Group = Answer<Endpoints['listGroups']>[number]
export type InvitationOffer = Answer<Endpoints['previewInvitation']>
export type CreatedInvitation = Answer<Endpoints['createInvitation']>
export type Role = Me['role']
export type SessionState = Answer<Endpoints['getSession']>
export type OwnSession = Answer<Endpoints['listSessions']>[number]
export type ApprovalKey = Answer<Endpoints['listApprovalKeys']>['keys'][number]
export type LastingAct = Answer<Endpoints['listLastingActs']>[number]
