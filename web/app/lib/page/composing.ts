import type { KeyboardEvent } from 'react'

// What Safari reports for the Enter that ends a word, after its composition has ended.
const OF_INPUT_METHOD = 229

/** Whether a key belongs to an input method that forms a word: its Enter, Escape and arrows are not the page's. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === OF_INPUT_METHOD
}
