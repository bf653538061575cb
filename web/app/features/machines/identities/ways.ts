import { PLATFORM_NAMES, type Platform } from '../../../lib/words/platforms.ts'

/** How a machine can prove itself: by the ID tokens of a platform, or by a token that Keyferry issues. */
export type Way = Platform | 'token'

export const WAYS: Readonly<Record<Way, string>> = { ...PLATFORM_NAMES, token: 'A token from Keyferry' }

const ALL: readonly Way[] = ['github', 'gitlab', 'kubernetes', 'other', 'token']

/** The way that a text names; null for any other text. */
export function wayNamed(text: string | null): Way | null {
  return ALL.find((way) => way === text) ?? null
}
