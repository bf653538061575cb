import { DELETE, type Endpoint, GET, POST, PUT } from '../endpoint.ts'
import { LIMITS } from '../limits.ts'
import { HoldingList, ListHoldingsQuery } from '../schemas/delivery.ts'
import * as machine from '../schemas/machine.ts'
import { OwnMachine } from '../schemas/machine-delivery.ts'
import * as token from '../schemas/machine-token.ts'
import * as trust from '../schemas/machine-trust.ts'

/** Machines: programs that fetch values without a person. */
export const machineEndpoints = {
  createMachine: POST('/api/v1/machines', 'owner', {
    touch: { by: 'machine', lasts: 'audit' },
    summary: 'Create a machine',
    body: machine.CreateMachine,
    responses: { 201: machine.Machine },
  }),
  listMachines: GET('/api/v1/machines', 'member', {
    summary: 'List machines by name; total in X-Total-Count',
    query: machine.ListMachinesQuery,
    responses: { 200: machine.MachineList },
  }),
  getMachine: GET('/api/v1/machines/{machine_id}', 'member', {
    summary: 'A machine with its bundles and tokens',
    responses: { 200: machine.Machine },
  }),
  updateMachine: PUT('/api/v1/machines/{machine_id}', 'owner', {
    touch: { by: 'machine', lasts: 'machine' },
    summary: 'Rename, describe or stop a machine',
    body: machine.UpdateMachine,
    responses: { 200: machine.Machine },
  }),
  deleteMachine: DELETE('/api/v1/machines/{machine_id}', 'owner', {
    touch: 'takes_away',
    summary: 'Delete a machine; its tokens end at once',
  }),
  listMachineHoldings: GET('/api/v1/machines/{machine_id}/holdings', 'owner', {
    summary: 'What a machine was given, also after it was deleted',
    query: ListHoldingsQuery,
    responses: { 200: HoldingList },
  }),
  grantBundle: PUT('/api/v1/machines/{machine_id}/bundles/{bundle_id}', 'owner', {
    touch: { by: 'bundle', lasts: 'always' },
    summary: 'Let a machine use a bundle, or change what it may do with it',
    body: machine.GrantBundle,
    responses: { 200: machine.GrantedBundle },
  }),
  revokeBundle: DELETE('/api/v1/machines/{machine_id}/bundles/{bundle_id}', 'owner', {
    touch: 'takes_away',
    summary: 'Take a bundle from a machine',
  }),
  createMachineToken: POST('/api/v1/machines/{machine_id}/tokens', 'owner', {
    touch: { by: 'machine', lasts: 'always' },
    summary: 'Create a token, which is shown once',
    body: token.CreateToken,
    bodyOptional: true,
    responses: { 201: token.CreatedToken },
  }),
  rotateMachineToken: POST('/api/v1/machines/{machine_id}/tokens/{token_id}/rotate', 'owner', {
    touch: { by: 'machine', lasts: 'always' },
    summary: 'Create a token in the place of another, which works a while longer',
    body: token.RotateToken,
    bodyOptional: true,
    responses: { 201: token.CreatedToken },
  }),
  endMachineToken: DELETE('/api/v1/machines/{machine_id}/tokens/{token_id}', 'owner', {
    touch: 'takes_away',
    summary: 'End a token at once',
  }),
  createMachineTrust: POST('/api/v1/machines/{machine_id}/trusts', 'owner', {
    touch: { by: 'machine', lasts: 'always' },
    summary: 'Let the ID tokens of another service prove a machine',
    body: trust.CreateTrust,
    responses: { 201: trust.MachineTrust },
  }),
  endMachineTrust: DELETE('/api/v1/machines/{machine_id}/trusts/{trust_id}', 'owner', {
    touch: 'takes_away',
    summary: 'End a trust at once',
  }),
  listMachineAttempts: GET('/api/v1/machines/{machine_id}/attempts', 'owner', {
    summary: 'Verified identities that the machine does not trust, the latest first',
    responses: { 200: trust.MachineAttemptList },
  }),
  allowMachineAttempt: POST('/api/v1/machines/{machine_id}/attempts/{fingerprint}/allow', 'owner', {
    touch: { by: 'machine', lasts: 'always' },
    summary: 'Trust an identity that called, by its issuer and the chosen claims',
    body: trust.AllowAttempt,
    responses: { 201: trust.MachineTrust },
  }),
  dismissMachineAttempt: DELETE('/api/v1/machines/{machine_id}/attempts/{fingerprint}', 'owner', {
    touch: 'takes_away',
    summary: 'Take an identity off the list of refused ones; its next call puts it there again',
  }),
  reportTokens: POST('/api/v1/tokens/reported', 'public', {
    summary: 'End leaked tokens; the answer is the same for texts that are no tokens',
    body: token.ReportTokens,
    maxBodyBytes: LIMITS.reportBodyBytes,
    responses: { 204: token.NoContent },
    errors: [429],
  }),
  getOwnMachine: GET('/api/v1/machine', 'machine', {
    summary: 'Who the calling machine is, and what it may do',
    responses: { 200: OwnMachine },
  }),
} as const satisfies Record<string, Endpoint>
