/** The card of a page that has only something to say. */
export const NOTE_CARD =
  'mx-auto max-w-read rounded-lg bg-surface px-4 py-10 text-center shadow-card sm:mt-[9vh] sm:px-8'
