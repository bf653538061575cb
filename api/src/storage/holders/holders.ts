/*
 * The door of this room: who has which version of a key. Only the files of this room read and write the table
 * `holdings`, and other rooms import nothing but this file. What a holder is says `domain/deliveries/holder.ts`.
 */
export { hasOlderHolder, OLDER_HOLDERS, versionHolders } from './holder-counts.ts'
export { createHolderStore, deliveriesOfHolders } from './holder-lists.ts'
export { clearVoid, collectedAgain, noteApproved, noteCollected, type OpenDelivery } from './holdings.ts'
export { keepHolders } from './kept-holders.ts'
