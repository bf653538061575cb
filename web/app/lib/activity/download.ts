import { call } from '../calls/call.ts'
import { saveFile } from '../page/save-file.ts'
import { nextFrom } from './log-texts.ts'

const TIMEOUT_MS = 600_000

/** Save the whole log, as one file for each 100,000 entries. @returns how many files that were */
export async function downloadLog(): Promise<number> {
  let [from, files]: [number | null, number] = [1, 0]
  while (from !== null) {
    const text: string = await call(
      'exportAudit',
      { from_seq: from },
      { signal: AbortSignal.timeout(TIMEOUT_MS) },
    )
    files += 1
    saveFile({
      text,
      name: files === 1 ? 'keyferry-audit.jsonl' : `keyferry-audit-${files}.jsonl`,
      type: 'application/jsonl',
    })
    from = nextFrom(text)
  }
  return files
}
