import { expect, test } from 'vitest'
import { startTestWeb } from '../test/start-test-web.ts'

test('with sockets of another program, the address of the pages has to be said', async () => {
  const starting = startTestWeb('http://127.0.0.1:1', { listen: { sockets: [3] } })
  await expect(starting).rejects.toThrow('inherited sockets need PUBLIC_URL')
})
