import type { ErrorCode } from '@keyferry/contract'
import { DomainError } from '../../domain/base/errors.ts'

export type RefusedMachine = { tenantId: string; id: string; name: string }

/** A refused call of a machine. `machine` is null where the caller proved to be none. */
export class MachineRefusal extends DomainError {
  readonly machine: RefusedMachine | null

  constructor(
    code: ErrorCode,
    message: string,
    machine: RefusedMachine | null,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(code, message, details === undefined ? {} : { details })
    this.machine = machine
  }
}
