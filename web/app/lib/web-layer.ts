import { CallError } from '@keyferry/contract/client'

/** Calls a route of the web-facing layer that the endpoint table does not hold.
 * @returns the JSON body as an object, `{}` when there is none
 * @throws CallError for any answer of failure; whatever `fetch` throws when there is no answer */
export async function callWebLayer(
  method: 'GET' | 'POST',
  path: `/${string}`,
  body: object = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await readObject(response)
  if (response.ok) return answer
  throw new CallError({
    status: response.status,
    code: text(answer['code']) ?? 'unknown',
    message: text(answer['error']) ?? `unexpected answer with status ${response.status}`,
    details: {},
    retryAfterSeconds: Number(response.headers.get('retry-after')) || null,
  })
}

async function readObject(response: Response): Promise<Record<string, unknown>> {
  if (response.headers.get('content-type')?.includes('json') !== true) return {}
  const value: unknown = await response.json()
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
