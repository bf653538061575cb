import type { AuditFilter } from '../domain/audit/audit.ts'
import { countDays, storyOf } from '../domain/audit/story.ts'
import { DomainError } from '../domain/base/errors.ts'
import { wholePage } from '../domain/base/listing.ts'
import { type Handlers, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type ListQuery = AuditFilter & {
  limit?: number | undefined
  offset?: number | undefined
  stories?: '0' | '1' | undefined
}

export function auditHandlers({ stores: { audit }, clock }: HandlerParts) {
  const list = async (tenantId: string, { limit, offset, stories, ...filter }: ListQuery) => {
    const { entries, total } = await audit.list(tenantId, filter, wholePage({ limit, offset }))
    const headers = total === null ? {} : { 'x-total-count': String(total) }
    const body = stories === '1' ? entries.map((entry) => ({ ...entry, story: storyOf(entry) })) : entries
    return new Reply({ headers, body })
  }
  return {
    listAudit: ({ caller, query }) => list(caller.tenantId, query),
    listOwnAudit: ({ caller, query }) => list(caller.tenantId, { ...query, actor: caller.userId }),
    countAuditDays: ({ caller, query }) => countDays({ audit, now: clock.now() }, caller, query),
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
