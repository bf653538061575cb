import autocannon from 'autocannon'

type Varied = { path?: string; headers?: Readonly<Record<string, string>>; body?: string }

/** A call that is repeated. `vary` runs for each call, and its result overrides the fields it has. */
export type LoadCall = {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly vary?: () => Varied
}

export type LoadOptions = {
  readonly seconds: number
  readonly connections: number
}

/** Answers in all, and per second. */
export type LoadResult = { readonly answered: number; readonly perSecond: number }

/** Make a call from this process as often as the server answers it, over `connections` at once.
 * @throws Error when any answer is not one of success: a fast refusal must not count as speed */
export async function load(address: string, call: LoadCall, options: LoadOptions): Promise<LoadResult> {
  const result = await autocannon({
    url: address,
    connections: options.connections,
    duration: options.seconds,
    requests: [requestOf(call)],
  })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0 || result['2xx'] === 0)
    throw new Error(`${call.path}: ${failed} of ${result['2xx'] + failed} calls failed`)
  return { answered: result['2xx'], perSecond: result['2xx'] / result.duration }
}

function requestOf({ method = 'GET', path, headers = {}, vary }: LoadCall) {
  const type = method === 'GET' ? {} : { 'content-type': 'application/json' }
  const fixed = { method, path, headers: { ...type, ...headers } }
  if (!vary) return fixed
  const next = () => {
    const varied = vary()
    return { ...fixed, ...varied, headers: { ...fixed.headers, ...varied.headers } }
  }
  return { ...next(), setupRequest: next }
}
