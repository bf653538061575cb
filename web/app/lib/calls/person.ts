let ofPage: string | null = null

// What the contract calls PERSON_HEADER; imported, it would bring the contract's schemas to the browser.
export const PERSON_HEADER = 'keyferry-person'

/** The id of the person whom this page shows, whose calls it makes; null until the server has named them. */
export function pagePerson(): string | null {
  return ofPage
}

/** From now on the server refuses calls of this page if another person is signed in. */
export function enterPerson(id: string): void {
  ofPage ??= id
}
