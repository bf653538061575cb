import { GET } from '../endpoint.ts'
import * as audit from '../schemas/audit.ts'

/** The audit log. */
export const auditEndpoints = {
  listAudit: GET('/api/v1/audit', 'owner', {
    program: 'audit',
    summary: 'What happened in the workspace, newest first; total in X-Total-Count',
    query: audit.AuditQuery,
    answer: audit.AuditList,
  }),
  listOwnAudit: GET('/api/v1/audit/own', 'member', {
    summary: 'What the caller did in the workspace, newest first; total in X-Total-Count',
    query: audit.OwnAuditQuery,
    answer: audit.AuditList,
  }),
  countAuditDays: GET('/api/v1/audit/days', 'member', {
    summary: 'How much of each kind happened on each day; for a member, how much of it they did',
    query: audit.AuditDaysQuery,
    answer: audit.AuditDays,
  }),
  exportAudit: GET('/api/v1/audit/export', 'owner', {
    program: 'audit',
    summary: 'The audit log as JSON lines with a signed note, to be verified elsewhere',
    query: audit.AuditExportQuery,
    answer: audit.AuditExport,
    text: 'application/jsonl',
  }),
  getAuditNote: GET('/api/v1/audit/note', 'owner', {
    program: 'audit',
    summary: 'The newest signed note of the audit log',
    answer: audit.AuditNote,
    text: 'text/plain',
  }),
  getAuditKey: GET('/api/v1/audit/key', 'session', {
    summary: 'The key that verifies the notes of this server',
    answer: audit.AuditKey,
  }),
}
