import { type Assurance, LIMITS } from '@keyferry/contract'
import { DomainError } from './errors.ts'

/*
 * What a bundle and a workspace can contain. A bundle contains at most `bundleEntries` attached keys and legacy items
 * together; this bound is exact. The stored values of a workspace, old versions among them, take at most
 * `tenantBytes`; this bound may be passed a little, because each process estimates what is stored instead of summing
 * it on every write; each value counts 512 bytes besides its own, so rows are bounded as well. Both are settings. A
 * workspace contains at most 10,000 bundles. A person creates at most `workspacesPerPerson` workspaces, also a setting;
 * it counts those that the person left. A write that would pass a bound is refused as a whole.
 */

/** `versionsKept`: of one key, with the current one; 0: all. `assurance`: what the server demands of every approval. */
export type Bounds = {
  assurance: Assurance
  bundleEntries: number
  tenantBytes: number
  versionsKept: number
  workspacesPerPerson: number
}

export function bundleFull({ bundleEntries }: Pick<Bounds, 'bundleEntries'>): DomainError {
  const message = `a bundle can hold ${bundleEntries} entries: remove some, or use another bundle`
  return new DomainError('bundle_full', message, { details: { limit: bundleEntries } })
}

export function tooManyBundles(): DomainError {
  const message = `a workspace can hold ${LIMITS.bundles} bundles: delete some, or use another workspace`
  return new DomainError('workspace_full', message, { details: { limit: LIMITS.bundles } })
}

export function workspaceFull({ tenantBytes }: Pick<Bounds, 'tenantBytes'>): DomainError {
  const message = `the values of a workspace can take ${tenantBytes} bytes: delete keys that are not used, or ask the operator to raise MAX_TENANT_BYTES`
  return new DomainError('workspace_full', message, { details: { limit: tenantBytes } })
}

export function tooManyWorkspaces({ workspacesPerPerson }: Pick<Bounds, 'workspacesPerPerson'>): DomainError {
  const message = `one person can create ${workspacesPerPerson} workspaces: use one that you have, or ask the operator to raise MAX_WORKSPACES_PER_PERSON`
  return new DomainError('too_many_workspaces', message, { details: { limit: workspacesPerPerson } })
}
