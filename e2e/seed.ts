import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyferry/contract/client'
import { createLibrary } from './app-library.ts'

// `npm run dev -- --seed` starts this beside the server: it fills an empty library, and leaves any other as it is.
const TRIES = 120
const url = `http://127.0.0.1:${process.env['PORT'] ?? 5393}`

for (let tries = 1; !(await answers()); tries += 1) {
  if (tries === TRIES) throw new Error(`${url} does not answer`)
  await sleep(500)
}
const bundles = await createClient(url)('GET', '/api/v1/bundles', {})
if (bundles.length === 0) await createLibrary(url)
process.stdout.write(`The library is at ${url}\n`)

async function answers(): Promise<boolean> {
  return await fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false, // it is not listening yet
  )
}
