import { MASK } from '@keyferry/contract/limits'
import type { KeyVersion } from '../../lib/calls/answers.ts'

/** Whether a version's value may be shown: it was never secret, and it is still there. */
export function canShow({ value }: KeyVersion): boolean {
  return value !== null && value !== MASK
}
