import { randomInt } from 'node:crypto'
import { createServer, request } from 'node:http'

export type ManyAddresses = {
  readonly url: string
  /** Where calls go from now on. */
  readonly leadTo: (address: string) => void
  readonly close: () => void
}

/** A proxy that gives each call another address, for real clients that call more often than one address may. */
export async function manyAddresses(): Promise<ManyAddresses> {
  let target = ''
  const proxy = createServer((incoming, answer) => {
    const { method, url = '/', headers } = incoming
    const from = `198.51.${randomInt(256)}.${randomInt(256)}`
    const call = request(target + url, { method, headers: { ...headers, 'x-forwarded-for': from } })
    call.once('error', () => answer.destroy())
    call.once('response', (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(answer)
    })
    answer.once('close', () => call.destroy())
    incoming.pipe(call)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    leadTo: (to) => {
      target = to
    },
    close: () => {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}
