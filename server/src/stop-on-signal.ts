import { constants } from 'node:os'

const STOP_WITHIN_MS = 4_500

/** Stop gracefully on the first SIGTERM or SIGINT, immediately on the second, and always within five seconds. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false
  const onSignal = (signal: 'SIGTERM' | 'SIGINT') => {
    if (isStopping) process.exit(128 + constants.signals[signal])
    isStopping = true
    setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref()
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
