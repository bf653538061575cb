import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { callerHeaders } from '../http/request-headers.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { RecordedEnd, SessionEndReason } from '../sessions/session-routes.ts'

export type EndRecorderOptions = { api: ApiConnection; log: Pick<FastifyBaseLogger, 'warn'> }

/** Records in the audit log that sessions of a person ended. The sessions have ended then: if the log is unavailable,
 * the server's own log records it, and the person is still signed out.
 * @returns null: the API did not answer */
export function endRecorder({ api, log }: EndRecorderOptions) {
  return async (
    request: FastifyRequest,
    idpUserId: string,
    reason: SessionEndReason | 'provider',
  ): Promise<RecordedEnd | null> => {
    const call = { params: { idp_user_id: idpUserId }, body: { reason }, headers: callerHeaders(request) }
    try {
      return await api.call('POST', '/api/v1/users/{idp_user_id}/signed-out', call)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      log.warn({ request: request.id, reason, error: problem }, 'end of a session not in the audit log')
      return null
    }
  }
}
