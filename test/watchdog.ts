// Runs beside a test run, and tidies up after one that was stopped: `node test/watchdog.ts FOLDER PID…`. A run that
// was killed cannot do so.
import { endRun, isRunning } from './processes.ts'

const EVERY_MS = 500

const [folder = '', ...words] = process.argv.slice(2)
const pids = words.map(Number)

function look(): void {
  if (pids.every(isRunning)) return
  endRun(folder, pids[0])
  process.exit()
}

setInterval(look, EVERY_MS)
