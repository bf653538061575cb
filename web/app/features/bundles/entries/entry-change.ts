import type { BundleItem, BundleWithItems } from '../../../lib/calls/answers.ts'

/** What a form that changes one key of a bundle gets. */
export type EntryChange = {
  bundle: BundleWithItems
  item: BundleItem
  onClose: () => void
}
