/* The tables of optional modules, one line each. */
export * as webhooks from '../../webhooks/storage/rows.ts'
