const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d]

/** Where the JSON object ends that begins at `start`, so that its exact text can be hashed. */
export function endOfValue(text: string, start: number): number {
  let depth = 0
  let isInString = false
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === BACKSLASH) index += 1
      else if (code === QUOTE) isInString = false
    } else if (code === QUOTE) isInString = true
    else if (code === OPEN) depth += 1
    else if (code === CLOSE) {
      depth -= 1
      if (depth <= 0) return index + 1
    }
  }
  return text.length
}

/** Whether this is a whole number, 0 or more. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** The value of a JSON text; null when it is none. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** The members of an object; null for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? { ...value } : null
}
