let handed = ''

/** Leave a text for the page that opens next. It has values, so it is in no address and no history. */
export function handText(text: string): void {
  handed = text
}

/** Take the text that the page before left, once; empty for none. */
export function takeHandedText(): string {
  const text = handed
  handed = ''
  return text
}
