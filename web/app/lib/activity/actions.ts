import type { AuditAction } from '@keyferry/contract'
import { WORDS } from './words.ts'

/** Every action, in the order of its words. */
export const ACTIONS = Object.keys(WORDS) as AuditAction[]
