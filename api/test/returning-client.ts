import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import type { TestApi } from './api.ts'
import { ApprovalClient } from './approval-client.ts'

/** A client that takes approvals back through its terminal. */
export class ReturningClient extends ApprovalClient {
  readonly verifier = generatePollVerifier()
  readonly #api: Pick<TestApi, 'call'>

  constructor(api: Pick<TestApi, 'call'>) {
    super(api)
    this.#api = api
  }

  /** The id of a new request that offers these ways of return. */
  request(release = ['loopback', 'code'], body: Record<string, unknown> = {}): Promise<string> {
    return this.asked({ ...this.returning(release), ...body })
  }

  /** What a request says of the ways of return. */
  returning(release = ['loopback', 'code']) {
    return { release, poll_challenge: pollChallenge(this.verifier) }
  }

  /** The headers that prove that this client made its requests. */
  proof(verifier = this.verifier) {
    return { 'x-poll-verifier': verifier, 'x-forwarded-for': this.address }
  }

  release(requestId: string, secret: string, verifier = this.verifier) {
    const headers = this.proof(verifier)
    return this.#api.call('releaseRequest', { params: { request_id: requestId }, headers, body: { secret } })
  }

  waits(requestId: string, known?: string) {
    return this.#api.call('waitForApproval', {
      params: { request_id: requestId },
      query: known === undefined ? {} : { known },
      headers: this.proof(),
    })
  }
}

type Answered = { release?: { by: string; secret?: string; code?: string } | undefined }

/** What the approver's page got to carry back. */
export function secretOf({ release }: Answered): string {
  return release?.secret ?? release?.code ?? ''
}
