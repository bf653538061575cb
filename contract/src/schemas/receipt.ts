import { z } from 'zod'
import { Timestamp } from './text.ts'

/** What the server signed: `payload` is base64 of the exact bytes, JSON as in docs/approvals.md. `signature` is
 * Ed25519 over the frame of `keyferry receipt v1` and these bytes. */
export const Receipt = z
  .object({ kid: z.string(), payload: z.base64(), signature: z.base64() })
  .meta({ id: 'Receipt', examples: [{ kid: '1a2b3c4d5e6f7081', payload: 'e30=', signature: 'c2lnbmVk' }] })

/** The keys that sign receipts, the newest first. `public_key`: base64 of 32 bytes. `endorsed_by`: the key before
 * signed this one, over the frame of `keyferry receipt key v1` and the new public key. */
export const ReceiptKeys = z
  .object({
    keys: z.array(
      z
        .object({
          kid: z.string(),
          public_key: z.base64(),
          created_at: Timestamp,
          endorsed_by: z.object({ kid: z.string(), signature: z.base64() }).nullable(),
        })
        .meta({ id: 'ReceiptKey' }),
    ),
  })
  .meta({
    id: 'ReceiptKeys',
    examples: [
      {
        keys: [
          {
            kid: '1a2b3c4d5e6f7081',
            public_key: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=',
            created_at: '2026-01-31T12:00:00.000Z',
            endorsed_by: null,
          },
        ],
      },
    ],
  })
