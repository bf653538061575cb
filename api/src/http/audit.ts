import { listAudit } from '../domain/audit/audit.ts'
import { DomainError } from '../domain/base/errors.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type AuditEndpoint = 'listAudit' | 'exportAudit' | 'getAuditNote' | 'getAuditKey'

export function auditHandlers({ stores: { audit } }: HandlerParts): Pick<Handlers, AuditEndpoint> {
  return {
    async listAudit({ caller, query: { limit, offset, ...filter } }) {
      const { entries, total } = await listAudit(audit, caller, { filter, page: { limit, offset } })
      const headers = total === null ? {} : { 'x-total-count': String(total) }
      return { status: 200, headers, body: entries }
    },
    exportAudit({ caller, query: { from_seq: from = 1, to_seq: to = Number.MAX_SAFE_INTEGER } }) {
      const { lines } = audit.export(caller.tenantId, { from: Math.max(from, 1), to })
      return { status: 200, headers: { 'content-type': 'application/jsonl; charset=utf-8' }, stream: lines }
    },
    async getAuditNote({ caller }) {
      const note = await audit.note(caller.tenantId)
      if (note === null) throw new DomainError('not_found', 'nothing is sealed yet: try again in a second')
      return { status: 200, body: note }
    },
    getAuditKey: () => ({ status: 200, body: { key: audit.verifierKey } }),
  }
}
