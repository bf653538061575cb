import type { Identity, TestApi } from './api.ts'
import { ReturningClient } from './returning-client.ts'

type Asked = { bundle: string; workspace?: string; release?: string[]; meta?: Record<string, string> }

/** A client that asks for names. */
export class NamesClient extends ReturningClient {
  /** The id of a new request for the names of a bundle. */
  asksFor({ bundle, workspace, release, meta }: Asked): Promise<string> {
    return this.asked({
      kind: 'names',
      bundle_id: bundle,
      ...(workspace === undefined ? {} : { workspace }),
      ...(meta === undefined ? {} : { meta }),
      ...this.returning(release),
    })
  }

  /** The list that this client got, as only it can read it. */
  async listed(requestId: string): Promise<Record<string, unknown>> {
    return this.opened(await this.waits(requestId))
  }
}

type Choice = { bundle_id: string; user_code?: string; release?: string }

export const offerOf = (
  api: Pick<TestApi, 'call'>,
  as: Identity,
  { requestId, bundle_id }: { requestId: string; bundle_id: string },
) => api.call('previewNames', { as, params: { request_id: requestId }, query: { bundle_id } })

export const approveNames = (
  api: Pick<TestApi, 'call'>,
  as: Identity,
  { requestId, ...choice }: { requestId: string } & Choice,
) => api.call('approveNames', { as, params: { request_id: requestId }, body: choice })
