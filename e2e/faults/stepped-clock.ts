import { readFileSync } from 'node:fs'

// Loaded into the server before anything else (`NODE_OPTIONS=--import …`): its wall clock is stepped by as many
// milliseconds as the file named by STEPPED_CLOCK_FILE says, from the moment a SIGUSR2 arrives. Timers keep the
// monotonic clock, as they do when an operator or NTP steps a machine's time.

const file = process.env['STEPPED_CLOCK_FILE'] ?? ''
const RealDate = Date
let stepMs = 0

process.on('SIGUSR2', () => {
  stepMs = Number(readFileSync(file, 'utf8'))
})

const now = () => RealDate.now() + stepMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, property, receiver) => (property === 'now' ? now : Reflect.get(target, property, receiver)),
})
