const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text has the form of an id. Where a name or an id may stand, such a text means an id only. */
export function isIdText(text: string): boolean {
  return ID.test(text)
}
