import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TIME_LIMIT_FACTOR } from '../test/until.ts'
import { pauseMs, Reasons } from './redis-link.ts'
import { connectionOptions, isSentinel, locator } from './redis-place.ts'
import { multiplyTimeLimits } from './time-limits.ts'

test('a connection has time limits, which a factor multiplies', () => {
  multiplyTimeLimits(1)
  expect(connectionOptions('redis://x')).toEqual({
    disableOfflineQueue: true,
    pingInterval: 3_000,
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: 2_000, socketTimeout: 5_000 },
  })
  multiplyTimeLimits(3)
  expect(connectionOptions('redis://x').socket).toEqual({ connectTimeout: 6_000, socketTimeout: 15_000 })
  multiplyTimeLimits(Number(TIME_LIMIT_FACTOR))
})

test('the certificate authority in ssl_ca_certs is trusted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-redis-'))
  const file = join(folder, 'ca.pem')
  writeFileSync(file, 'a certificate')
  const { socket } = connectionOptions(`rediss://x?ssl_ca_certs=${file}`)
  expect(socket).toMatchObject({ ca: Buffer.from('a certificate') })
  rmSync(folder, { recursive: true })
})

test.each([
  ['redis+sentinel://x/m', true],
  ['REDISS+SENTINEL://x/m', true],
  ['redis://x', false],
  ['x redis+sentinel://x', false],
])('%s is the address of sentinels: %s', (url, isNamed) => expect(isSentinel(url)).toBe(isNamed))

test('each attempt connects to the next node of the current address', async () => {
  let url = 'redis://u:p@a:1,b:2'
  const locate = locator({ url: () => url })
  const nodes = ['redis://u:p@a:1', 'redis://u:p@b:2']
  expect([await locate(), await locate(), await locate()]).toEqual([...nodes, nodes[0]])
  url = 'redis://c:3'
  expect(await locate()).toBe('redis://c:3')
})

/** A sentinel that answers with this master. With null, it knows no master. `close` resolves once all clients are
 * gone. */
async function sentinel(master: readonly string[] | null) {
  const asked: string[][] = []
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        // Redis sends a command as an array of texts, each after its length.
        for (const command of chunk.toString().split(/(?=^\*\d+\r\n)/m)) {
          const words = command.split('\r\n').filter((_, index) => index > 0 && index % 2 === 0)
          asked.push(words.filter((word) => word !== ''))
          const isQuestion = words[0] === 'SENTINEL'
          const texts = (master ?? []).map((text) => `$${text.length}\r\n${text}\r\n`).join('')
          socket.write(isQuestion ? (master ? `*${master.length}\r\n${texts}` : '*-1\r\n') : '+OK\r\n')
        }
      })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  const close = () => new Promise((resolve) => void server.close(resolve))
  return { asked, port: typeof at === 'object' ? at?.port : 0, close }
}

test.each([
  [
    ['10.0.0.5', '6379'],
    '/the%20one?sentinel_password=s',
    'u:p@',
    'redis://u:p@10.0.0.5:6379?sentinel_password=s',
  ],
  [['::1', '6379'], '/the%20one', '', 'redis://[::1]:6379'],
])('the first sentinel that answers names the master %j', async (master, path, account, address) => {
  const { asked, port, close } = await sentinel(master)
  const url = `redis+sentinel://${account}127.0.0.1:1,127.0.0.1:${port}${path}`
  expect(await locator({ url: () => url })()).toBe(address)
  expect(asked).toContainEqual(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'the one'])
  expect(asked.flat().includes('p')).toBe(false)
  expect(asked.some((words) => words.includes('s'))).toBe(path.includes('sentinel_password'))
  await close()
})

test('a master that the sentinels do not know is an error', async () => {
  const { port, close } = await sentinel(null)
  const locate = locator({ url: () => `redis+sentinel://127.0.0.1:${port}/other` })
  await expect(locate()).rejects.toThrow('the sentinels know no master other')
  await close()
})

test('where no sentinel can be reached, the error says why', async () => {
  const locate = locator({ url: () => 'redis+sentinel://127.0.0.1:1/m' })
  await expect(locate()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('pauses between attempts double, up to a second', () => {
  expect([0, 1, 5, 6, 60].map(pauseMs)).toEqual([20, 40, 640, 1_000, 1_000])
})

test('during an outage, each reason is logged once', () => {
  const said: string[] = []
  const reasons = new Reasons(({ message }) => void said.push(message))
  for (const reason of [new Error('a'), new Error('b'), new Error('a'), 'x']) reasons.say(reason)
  expect(said).toEqual(['a', 'b', 'no connection'])
  reasons.clear()
  reasons.say(new Error('a'))
  expect(said).toEqual(['a', 'b', 'no connection', 'a'])
})
