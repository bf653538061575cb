const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

type FetchBounds = { timeoutMs: number; maxBytes: number }

/** `fetch` for calls of the identity provider: the whole answer, body included, comes in ten seconds and has at most
 * 1 MiB, or the call fails. A document, a key set and a token are far smaller.
 * @throws Error: no answer in time, or one that is too long · TypeError: no connection */
export const providerFetch = boundedFetch({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })

export function boundedFetch({ timeoutMs, maxBytes }: FetchBounds) {
  return async (address: string | URL, init: RequestInit): Promise<Response> => {
    const given = init.signal ? [init.signal] : []
    const signal = AbortSignal.any([...given, AbortSignal.timeout(timeoutMs)])
    const { body, status, statusText, headers } = await fetch(address, { ...init, signal })
    if (body === null) return new Response(null, { status, statusText, headers })
    const bytes = await bytesOf(body, maxBytes)
    return new Response(mayHaveBody(status) ? bytes : null, { status, statusText, headers })
  }
}

async function bytesOf(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels the rest of the body.
  for await (const part of body) {
    length += part.length
    if (length > maxBytes) throw new Error(`the provider answered more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const mayHaveBody = (status: number) => ![204, 205, 304].includes(status)
