import type { ErrorCode } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'

/** A refused call of a machine. `machine` is null where the caller proved to be none. */
export class MachineRefusal extends DomainError {
  readonly machine: { tenantId: string; id: string; name: string } | null

  constructor(
    code: ErrorCode,
    message: string,
    machine: MachineRefusal['machine'],
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(code, message, details === undefined ? {} : { details })
    this.machine = machine
  }
}
