import { startApi } from '../src/main.ts'

// An API in a separate process, so that a test can choose its heap size: settings as JSON in, the address out.
const { address } = await startApi(JSON.parse(process.argv[2] ?? ''), { logTo: { write: () => {} } })
console.log(address)
