import { DELETE, GET, POST, PUT } from '../endpoint.ts'
import { LIMITS } from '../limits.ts'
import { Change } from '../schemas/change.ts'
import { HoldingList, ListHoldingsQuery } from '../schemas/delivery.ts'
import { MACHINE_LIMITS } from './limits.ts'
import * as machine from './schemas.ts'

/** Machines: programs that fetch values without a person. */
export const machineEndpoints = {
  createMachine: POST('/api/v1/machines', 'owner', {
    touch: { by: 'program', lasts: 'audit' },
    summary: 'Create a machine',
    body: machine.CreateMachine,
    created: machine.Machine,
  }),
  listMachines: GET('/api/v1/machines', 'member', {
    summary: 'List machines by name; total in X-Total-Count',
    query: machine.ListMachinesQuery,
    answer: machine.MachineList,
  }),
  getMachine: GET('/api/v1/machines/{machine_id}', 'member', {
    summary: 'A machine with its bundles and tokens',
    answer: machine.Machine,
  }),
  updateMachine: PUT('/api/v1/machines/{machine_id}', 'owner', {
    touch: { by: 'program', lasts: 'program' },
    summary: 'Rename, describe or stop a machine',
    body: machine.UpdateMachine,
    answer: machine.Machine,
  }),
  deleteMachine: DELETE('/api/v1/machines/{machine_id}', 'owner', {
    touch: 'takes_away',
    summary: 'Delete a machine; its tokens end at once',
  }),
  listMachineHoldings: GET('/api/v1/machines/{machine_id}/holdings', 'owner', {
    summary: 'What a machine was given, also after it was deleted',
    query: ListHoldingsQuery,
    answer: HoldingList,
  }),
  grantBundle: PUT('/api/v1/machines/{machine_id}/bundles/{bundle_id}', 'owner', {
    touch: { by: 'bundle', lasts: 'always' },
    summary: 'Let a machine use a bundle, or change what it may do with it',
    body: machine.GrantBundle,
    answer: machine.GrantedBundle,
  }),
  revokeBundle: DELETE('/api/v1/machines/{machine_id}/bundles/{bundle_id}', 'owner', {
    touch: 'takes_away',
    summary: 'Take a bundle from a machine',
  }),
  createMachineToken: POST('/api/v1/machines/{machine_id}/tokens', 'owner', {
    touch: { by: 'program', lasts: 'always' },
    summary: 'Create a token, which is shown once',
    body: machine.CreateToken,
    bodyOptional: true,
    created: machine.CreatedToken,
  }),
  rotateMachineToken: POST('/api/v1/machines/{machine_id}/tokens/{token_id}/rotate', 'owner', {
    touch: { by: 'program', lasts: 'always' },
    summary: 'Create a token in the place of another, which works a while longer',
    body: machine.RotateToken,
    bodyOptional: true,
    created: machine.CreatedToken,
  }),
  endMachineToken: DELETE('/api/v1/machines/{machine_id}/tokens/{token_id}', 'owner', {
    touch: 'takes_away',
    summary: 'End a token at once',
  }),
  createMachineTrust: POST('/api/v1/machines/{machine_id}/trusts', 'owner', {
    touch: { by: 'program', lasts: 'always' },
    summary: 'Let the ID tokens of another service prove a machine',
    body: machine.CreateTrust,
    created: machine.MachineTrust,
  }),
  endMachineTrust: DELETE('/api/v1/machines/{machine_id}/trusts/{trust_id}', 'owner', {
    touch: 'takes_away',
    summary: 'End a trust at once',
  }),
  listMachineAttempts: GET('/api/v1/machines/{machine_id}/attempts', 'owner', {
    summary: 'Verified identities that the machine does not trust, the latest first',
    answer: machine.MachineAttemptList,
  }),
  allowMachineAttempt: POST('/api/v1/machines/{machine_id}/attempts/{fingerprint}/allow', 'owner', {
    touch: { by: 'program', lasts: 'always' },
    summary: 'Trust an identity that called, by its issuer and the chosen claims',
    body: machine.AllowAttempt,
    created: machine.MachineTrust,
  }),
  dismissMachineAttempt: DELETE('/api/v1/machines/{machine_id}/attempts/{fingerprint}', 'owner', {
    touch: 'takes_away',
    summary: 'Take an identity off the list of refused ones; its next call puts it there again',
  }),
  reportTokens: POST('/api/v1/tokens/reported', 'public', {
    summary: 'End leaked tokens; the answer is the same for texts that are no tokens',
    body: machine.ReportTokens,
    maxBodyBytes: MACHINE_LIMITS.reportBodyBytes,
    responses: { 204: machine.NoContent },
    errors: [429],
  }),
  createDelivery: POST('/api/v1/deliveries', 'program', {
    summary: "Deliver a bundle's values to a machine, sealed to its public key",
    body: machine.CreateDelivery,
    answer: machine.MachineDelivery,
  }),
  waitForChange: POST('/api/v1/deliveries/{delivery_id}/wait', 'program', {
    summary: "Hold until a value of the machine's own delivery changes, at most 30 s",
    body: machine.WaitForChange,
    bodyOptional: true,
    maxBodyBytes: LIMITS.requestBodyBytes,
    answer: Change,
    errors: [404],
  }),
  getOwnMachine: GET('/api/v1/machine', 'program', {
    summary: 'Who the calling machine is, and what it may do',
    answer: machine.OwnMachine,
  }),
}
