import type { Part } from './event-facts.ts'

type Said = Part | number | null | readonly Part[]

/** The parts of a sentence: say`moved ${key} to ${bundle}`. What is between the words stays a part of its own. */
export function say(words: TemplateStringsArray, ...said: readonly Said[]): Part[] {
  return words.flatMap((text, index) => [text, ...partsOf(said[index] ?? '')])
}

function partsOf(said: NonNullable<Said>): readonly Part[] {
  if (typeof said === 'number') return [String(said)]
  return Array.isArray(said) ? said : [said as Part]
}
