import { CliError } from '../ground/cli-error.ts'
import type { Exchange } from '../ground/exchange.ts'
import { EXIT } from '../ground/exit-code.ts'
import { parseObject } from '../ground/json-object.ts'

const TIMEOUT_MS = 20_000
const MAX_BYTES = 64 * 1024

type Wanted = {
  /** ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN of the job. */
  readonly requestUrl: string
  readonly requestToken: string
  readonly audience: string
}

/** Ask GitHub for an ID token of this job (docs.github.com, "OpenID Connect reference").
 * @throws CliError refused · NetworkError */
export async function githubIdToken(
  { requestUrl, requestToken, audience }: Wanted,
  exchange: Exchange,
): Promise<string> {
  const url = new URL(requestUrl)
  url.searchParams.set('audience', audience)
  const answer = await exchange({
    method: 'GET',
    url: url.href,
    headers: { authorization: `Bearer ${requestToken}` },
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  const value = parseObject(answer.body)?.['value']
  if (answer.status === 200 && typeof value === 'string') return value
  throw new CliError(
    EXIT.refused,
    `GitHub gave no ID token (status ${answer.status})`,
    'Check that the job has "permissions: id-token: write".',
  )
}
