/* What optional modules know of programs, one line each. */

export * as machines from '../../machines/storage/programs.ts'
