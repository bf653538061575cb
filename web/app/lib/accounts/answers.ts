import type { Answer } from '@keyferry/contract/client'
import type { Endpoints } from '../calls/answers.ts'

export type OwnPasskeys = Answer<Endpoints['listPasskeys']>
export type Passkey = OwnPasskeys['passkeys'][number]
