import fc from 'fast-check'

const RUNS = 200

// A property that starts programs or calls a server says itself how often it runs.
fc.configureGlobal({ numRuns: Number(process.env['PROPERTY_RUNS'] ?? RUNS) })
