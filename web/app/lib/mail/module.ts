import type { Called } from '../calls/call.ts'

export const refreshes: readonly (readonly [RegExp, readonly Called[]])[] = [[/\/mails$/, ['getOwnMails']]]

export const places = [] as const
