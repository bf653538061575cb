/** The addresses and networks in a text, separated by lines, blanks or commas. */
export function networksIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== '')
}
