import { DomainError } from '../domain/base/errors.ts'
import { wholePage } from '../domain/base/listing.ts'
import { type Handlers, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function auditHandlers({ stores: { audit } }: HandlerParts) {
  return {
    async listAudit({ caller, query: { limit, offset, ...filter } }) {
      const { entries, total } = await audit.list(caller.tenantId, filter, wholePage({ limit, offset }))
      const headers = total === null ? {} : { 'x-total-count': String(total) }
      return new Reply({ headers, body: entries })
    },
    exportAudit({ caller, query: { from_seq: from = 1, to_seq: to = Number.MAX_SAFE_INTEGER } }) {
      const { lines } = audit.export(caller.tenantId, { from: Math.max(from, 1), to })
      return new Reply({ headers: { 'content-type': 'application/jsonl; charset=utf-8' }, stream: lines })
    },
    async getAuditNote({ caller }) {
      const note = await audit.note(caller.tenantId)
      if (note === null) throw new DomainError('not_found', 'nothing is sealed yet: try again in a second')
      return note
    },
    getAuditKey: () => ({ key: audit.verifierKey }),
  } satisfies Partial<Handlers>
}
