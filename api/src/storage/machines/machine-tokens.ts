import { LIMITS } from '@keyferry/contract'
import type { Stamp } from '../../domain/base/stamp.ts'
import { machineNotFound } from '../../domain/machines/machine.ts'
import type { MachineTokenStore, NewToken } from '../../domain/machines/machine-token.ts'
import { tokenNotFound, tooManyTokens } from '../../domain/machines/machine-token.ts'
import type { Queries, Recorded } from '../base/queries.ts'
import { tellExpiring } from './expiring-tokens.ts'
import { holdMachine, machineEvent } from './machine-changes.ts'
import { countWorking, endWorking, forgetOld, insertRow, rotate } from './machine-token-rows.ts'

export function createMachineTokenStore(queries: Queries): MachineTokenStore {
  const { write } = queries
  return {
    tellExpiring: (now) => tellExpiring(queries, now),
    insert: (tenantId, machineId, token) =>
      write((transaction) => insert(transaction, { tenantId, machineId, token })),
    rotate: (tenantId, place, rotation) =>
      write((transaction) => rotate(transaction, { tenantId, ...place, rotation })),
    end: (tenantId, place, stamp) =>
      write(async (transaction) => {
        const ended = await endWorking(transaction, { tenantId, ...place, at: stamp.at })
        if (!ended) throw tokenNotFound()
        const data = { token: ended.id, hint: ended.hint }
        transaction.record(machineEvent({ tenantId, ...ended.machine }, 'token.ended', { stamp, data }))
      }),
    report: (tokenHash, report) => write((transaction) => reported(transaction, { tokenHash, ...report })),
  }
}

type Insertion = { tenantId: string; machineId: string; token: NewToken & { stamp: Stamp } }

async function insert(transaction: Recorded, { tenantId, machineId, token }: Insertion): Promise<void> {
  const machine = await holdMachine(transaction, tenantId, machineId)
  if (!machine) throw machineNotFound()
  const { stamp, ...made } = token
  const working = await countWorking(transaction, { tenantId, machineId, at: stamp.at })
  if (working >= LIMITS.machineTokens) throw tooManyTokens()
  await forgetOld(transaction, { tenantId, machineId, at: stamp.at })
  await insertRow(transaction, { tenantId, machineId, token: made, stamp })
  const { id, hint, networks, expires_at } = made
  const data = { token: id, hint, networks, expires_at }
  transaction.record(machineEvent({ tenantId, ...machine }, 'token.created', { stamp, data }))
}

/** What an event keeps of the address where a token was found. */
const URL_CHARACTERS = 500

type Report = { tokenHash: string } & Parameters<MachineTokenStore['report']>[1]

async function reported(transaction: Recorded, { tokenHash, at, origin, url }: Report): Promise<void> {
  const row = await transaction
    .selectFrom('machine_tokens')
    .select(['tenant_id', 'machine_id', 'id'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (!row) return
  const { tenant_id: tenantId, machine_id: machineId, id: tokenId } = row
  const ended = await endWorking(transaction, { tenantId, machineId, tokenId, at })
  if (!ended) return
  transaction.record({
    tenantId,
    action: 'token.reported',
    at,
    actor: { kind: 'client', id: null },
    target: { kind: 'machine', ...ended.machine },
    data: {
      token: tokenId,
      hint: ended.hint,
      ...(url === null ? {} : { url: url.slice(0, URL_CHARACTERS) }),
    },
    origin,
  })
}
