/*
 * The optional modules of the client, one line each. To remove one, delete its line and its folder.
 */

export * as doctor from '../doctor/module.ts'
export * as mcp from '../mcp/module.ts'
export * as verify from '../verify/module.ts'
export * as watch from '../watch/module.ts'
