import { DomainError } from './errors.ts'

/** Judges addresses that a workspace's owner or an issuer's document names, before the server calls them. */
export interface TargetRules {
  /** The address, if its form and a literal host in it are allowed. A host name is judged again when it is resolved.
   * @throws TargetRefused */
  allowed(address: string): URL
}

/** An address that the server must not call. */
export class TargetRefused extends DomainError {
  constructor(why: string) {
    super('target_refused', `this address cannot be called: ${why}`)
  }
}
