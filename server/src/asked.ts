import { createInterface } from 'node:readline'

/** What the operator types after a question; empty at the end of the input. */
export async function typedLine(question: string): Promise<string> {
  process.stderr.write(question)
  for await (const line of createInterface({ input: process.stdin })) return line.trim()
  return ''
}
