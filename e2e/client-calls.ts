import { httpExchange } from '../cli/src/server/http-exchange.ts'

type Call = {
  method: 'GET' | 'POST'
  url: string
  /** The address of the terminal, for a server that trusts this machine as a proxy: a client from another address has
   * its own rate limit. */
  address: string
  headers?: Readonly<Record<string, string>>
  body?: object
}

const exchange = httpExchange({})

/** A call over the client's own exchange: with the headers that the real client sends, and no other but the address and
 * those that are given. So a story sees the server as a real terminal does. */
export async function callAsClient({ method, url, address, headers, body }: Call) {
  const answer = await exchange({
    method,
    url,
    headers: { ...headers, 'x-forwarded-for': address },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: 60_000,
    maxBodyBytes: 4 * 1024 * 1024,
  })
  return { status: answer.status, text: answer.body }
}
