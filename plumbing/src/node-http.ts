/*
 * Node's HTTP modules. An import statement reads all exports of a module, and for `WebSocket` Node loads its fetch
 * client, which takes 13 MiB that a server does not need.
 */

export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
