import { ACCOUNT_LIMITS } from '@keyferry/contract/accounts'
import { z } from 'zod'

const { setupCodeMinLength: least, setupCodeLength: most } = ACCOUNT_LIMITS

export const settings = {
  SETUP_CODE: {
    means:
      'code that creates the first account (AUTH_MODE=accounts); default: derived from the root key and printed at start',
    mustBe: `${least} to ${most} characters`,
    schema: z.string().min(least).max(most).optional(),
    isSecret: true,
    mode: 'accounts',
  },
} as const
