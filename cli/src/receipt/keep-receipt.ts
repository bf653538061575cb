import { requireWritable, writeOutputFile } from '../output/output-file.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'

/** Fail before a person approves something, if the receipt could not be written.
 * @throws CliError */
export function requireReceiptFile(path: string): void {
  requireWritable({ path, mayReplace: true })
}

/** Write a receipt to a file that `keyferry receipt verify` reads. */
export function keepReceipt(path: string, receipt: SignedReceipt, server: string): void {
  writeOutputFile({ path, mayReplace: true }, `${JSON.stringify({ server, ...receipt })}\n`)
}
