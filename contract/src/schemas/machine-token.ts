import { z } from 'zod'
import { LIMITS, TIMES } from '../limits.ts'
import { Id, NetworkList, object, Timestamp, wholeNumber } from './text.ts'

/** Why a token should be replaced: it has expired, or it expires within two weeks or half of its life. */
export const TokenDue = z.enum(['expired', 'expiring']).nullable()

/** `hint`: the last four characters. `networks`: where calls must come from; empty for everywhere. A token works until
 * it expires or is ended; a rotation brings `expires_at` of the old one forward. */
export const MachineToken = object('MachineToken', {
  id: Id,
  hint: z.string(),
  networks: z.array(z.string()),
  created_by: Id,
  created_at: Timestamp,
  expires_at: Timestamp,
  due: TokenDue,
  ended_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  last_used_ip: z.string().nullable(),
})

const days = `expires_in_days must be a whole number from 1 to ${LIMITS.tokenDays}`
const overlap = `overlap_seconds must be a whole number from 0 to ${TIMES.maxTokenOverlapSeconds}`

/** `networks`: addresses or networks that calls must come from; empty for everywhere. */
export const CreateToken = object(
  'CreateToken',
  {
    expires_in_days: wholeNumber(days, 1, LIMITS.tokenDays).default(LIMITS.defaultTokenDays),
    networks: NetworkList.default([]),
  },
  { expires_in_days: 90, networks: ['10.0.0.0/8'] },
)

/** How long the old token works beside the new one. */
export const RotateToken = object(
  'RotateToken',
  {
    overlap_seconds: wholeNumber(overlap, 0, TIMES.maxTokenOverlapSeconds).default(TIMES.tokenOverlapSeconds),
  },
  { overlap_seconds: TIMES.tokenOverlapSeconds },
)

/** The only answer that ever carries the token. */
export const CreatedToken = object('CreatedToken', {
  id: Id,
  token: z.string(),
  hint: z.string(),
  expires_at: Timestamp,
})

/** Leaked tokens in the form of GitHub's secret scanning, unsigned: anyone who has a token may end it. Texts that are
 * no tokens are ignored. */
export const ReportTokens = z
  .array(
    z.object(
      {
        token: z
          .string({ error: 'token must be a text' })
          .max(1_000, 'token must be at most 1000 characters'),
        type: z.string().max(200).optional(),
        url: z.string().max(2_000).optional(),
      },
      { error: 'each report must be an object with a token' },
    ),
    { error: 'the body must be a list of reports' },
  )
  .max(LIMITS.reportedTokens, `the body must hold at most ${LIMITS.reportedTokens} reports`)
  .meta({
    id: 'ReportTokens',
    examples: [
      [
        {
          token: 'kfm_1qe4Lu2mocTfktLY76oNVmefgoTFePvhPrbkbVEOevO3LSBXn',
          type: 'keyferry_machine_token',
          url: 'https://github.com/example/app/blob/main/.env',
        },
      ],
    ],
  })

export const NoContent = z.literal('').meta({ id: 'NoContent', examples: [''] })
