import { configureGlobal } from 'fast-check'

const RUNS = 200

// A property that starts programs or calls a server says itself how often it runs.
configureGlobal({ numRuns: Number(process.env['PROPERTY_RUNS'] ?? RUNS) })
