import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/*
 * Loaded into a server before it starts. `POST` begins a measurement, `GET` answers what was used since. A block is
 * processor time of the main thread between two turns of the event loop, so busy neighbours on the machine do not
 * change it.
 */

const MIB = 1024 * 1024
const RESET_PEAK = '5'

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

let longestBlockMicros = 0
let turnBegan = threadMicros()
setInterval(() => {
  const now = threadMicros()
  longestBlockMicros = Math.max(longestBlockMicros, now - turnBegan)
  turnBegan = now
}, 1).unref()

function threadMicros(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

let before = { usage: process.cpuUsage(), residentMiB: 0 }

function begin(): void {
  for (let round = 0; round < 2; round++) if (typeof collectGarbage === 'function') collectGarbage()
  writeFileSync('/proc/self/clear_refs', RESET_PEAK)
  before = { usage: process.cpuUsage(), residentMiB: process.memoryUsage.rss() / MIB }
  longestBlockMicros = 0
  turnBegan = threadMicros()
}

function figures() {
  const { user, system } = process.cpuUsage(before.usage)
  const peakMiB = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  return {
    processorMs: (user + system) / 1000,
    blockedMs: longestBlockMicros / 1000,
    growthMiB: peakMiB - before.residentMiB,
  }
}

const server = createServer((request, response) => {
  if (request.method === 'POST') begin()
  response.end(JSON.stringify(figures()))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') console.log(`Watched http://127.0.0.1:${address?.port}`)
})
server.unref()
