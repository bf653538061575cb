import { z } from 'zod'

const Networks = z.array(z.string())

/** The networks in a row's text. */
export function networksIn(text: string): string[] {
  return Networks.parse(JSON.parse(text))
}
