const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text looks like an id. Where a name or an id is allowed, such a text means an id. */
export function isIdText(text: string): boolean {
  return ID.test(text)
}
