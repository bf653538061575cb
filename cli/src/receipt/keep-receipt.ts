import { requireWritable, writeOutputFile } from '../output/output-file.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'

/** Check that the receipt can be written, before a person approves.
 * @throws CliError */
export function requireReceiptFile(path: string): void {
  requireWritable({ path, mayReplace: true })
}

/** Write a receipt to a file that `keyferry receipt verify` reads. */
export function keepReceipt(path: string, receipt: SignedReceipt, server: string): void {
  writeOutputFile({ path, mayReplace: true }, `${JSON.stringify({ server, ...receipt })}\n`)
}
