import { digestOf } from '@keyferry/crypto/digest'
import { isRowMac, rowMac } from '@keyferry/crypto/row-mac'
import { changedPastServer, type RowMacs } from '../row-macs/row-macs.ts'

/*
 * An approval is a row of the table `requests`, and the server carries it out. Without a MAC, anyone who can write to
 * the table could forge one. It covers what was asked, what became of it, until when it counts, and its payload.
 */

/** What the MAC of a row covers. `payload_hash`: null without a payload. */
export type CoveredRequest = {
  id: string
  request: string
  state: string
  version: number
  expires_at_ms: number
  payload_hash: string | null
}

const covered = ({ version, ...row }: CoveredRequest) => ({
  table: 'requests',
  version,
  values: [
    ['expires_at_ms', row.expires_at_ms],
    ['id', row.id],
    ['payload_hash', row.payload_hash],
    ['request', row.request],
    ['state', row.state],
  ] as const,
})

export function requestMacs(rowMacs: Pick<RowMacs, 'key'>) {
  const isWhole = ({ mac, ...row }: CoveredRequest & { mac: Uint8Array | null }) =>
    rowMacs.key === null || (mac !== null && isRowMac(mac, covered(row), rowMacs.key))
  return {
    /** @returns null: this process has no key */
    of: (row: CoveredRequest) => rowMacs.key && rowMac(covered(row), rowMacs.key),
    isWhole,
    /** @throws DomainError internal: no server wrote this row */
    require(row: Parameters<typeof isWhole>[0]): void {
      if (!isWhole(row)) throw changedPastServer('requests')
    },
  }
}

export function payloadHash(payload: string | null): string | null {
  return payload === null ? null : digestOf(payload)
}

/** @returns the payload
 * @throws DomainError internal: it is not the one that the server stored */
export function wholePayload(payload: string | null, hash: string | null): string | null {
  if (payloadHash(payload) !== hash) throw changedPastServer('requests')
  return payload
}
