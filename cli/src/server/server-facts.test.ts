import { expect, test } from 'vitest'
import { answered } from '../../test/stage.ts'
import type { ExchangeRequest } from '../base/exchange.ts'
import { isOwnLibrary } from './server-facts.ts'

async function ask(server: string, auth_mode: string) {
  const asked: string[] = []
  const exchange = async ({ url, timeoutMs }: ExchangeRequest) => {
    asked.push(`${url} ${timeoutMs}`)
    return answered({ auth_mode })
  }
  return { isOwn: await isOwnLibrary(server, { exchange }), asked }
}

test('the client asks only a server on this machine whether it needs a sign-in', async () => {
  expect(await ask('https://keyferry.example', 'local')).toEqual({ isOwn: false, asked: [] })
  const asked = ['http://127.0.0.1:5393/session 10000']
  expect(await ask('http://127.0.0.1:5393', 'local')).toEqual({ isOwn: true, asked })
  expect(await ask('http://127.0.0.1:5393', 'oidc')).toEqual({ isOwn: false, asked })
})
