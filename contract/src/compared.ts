/** What each cell of a comparison is called, on the page Compare and by `keyferry diff`. */
export const COMPARED_WORDS = { missing: 'Missing', own: 'Own value', shared: 'Same' } as const
