import { constants } from 'node:os'
import type { Settings } from './setting-table.ts'

/** A stop takes little longer than the calls that it waits for. */
const SPARE_MS = 1_500

/** Stop gracefully on the first SIGTERM or SIGINT, immediately on the second, and always within the time of the
 * settings. Only SIGTERM drains: SIGINT comes from a person at a terminal. */
export function stopOnSignal(
  stop: (drainSeconds: number) => Promise<void>,
  { DRAIN_SECONDS, STOP_SECONDS }: Pick<Settings, 'DRAIN_SECONDS' | 'STOP_SECONDS'>,
): void {
  let isStopping = false
  const onSignal = (signal: 'SIGTERM' | 'SIGINT') => {
    if (isStopping) process.exit(128 + constants.signals[signal])
    isStopping = true
    const drainSeconds = signal === 'SIGTERM' ? DRAIN_SECONDS : 0
    setTimeout(() => process.exit(0), (drainSeconds + STOP_SECONDS) * 1_000 + SPARE_MS).unref()
    stop(drainSeconds).then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
