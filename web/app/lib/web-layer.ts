import { CallError } from '@keyferry/contract/client'

/** Calls a route of the web-facing layer that the endpoint table does not hold.
 * @returns the JSON body, unchecked; null when there is none
 * @throws CallError for any answer of failure; whatever `fetch` throws when there is no answer */
export async function callWebLayer(
  method: 'GET' | 'POST' | 'DELETE',
  path: `/${string}`,
  body?: object,
): Promise<unknown> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await readJson(response)
  if (response.ok) return answer
  const fields = fieldsOf(answer)
  throw new CallError({
    status: response.status,
    code: textOf(fields['code']) || 'unknown',
    message: textOf(fields['error']) || `unexpected answer with status ${response.status}`,
    details: {},
    retryAfterSeconds: Number(response.headers.get('retry-after')) || null,
  })
}

async function readJson(response: Response): Promise<unknown> {
  return response.headers.get('content-type')?.includes('json') === true ? await response.json() : null
}

/** The fields of a JSON object; none when it is something else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A JSON text; empty when it is something else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
