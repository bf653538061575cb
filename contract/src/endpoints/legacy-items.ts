import { DELETE, POST } from '../endpoint.ts'
import * as key from '../schemas/key.ts'
import * as legacy from '../schemas/legacy-item.ts'

/** Legacy items: values that belong to one bundle only (deprecated). */
export const legacyItemEndpoints = {
  importItems: POST('/api/v1/bundles/{bundle_id}/import', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Import ENV text or JSON as legacy items',
    body: legacy.ImportItems,
    answer: legacy.ImportedItems,
    deprecated: true,
  }),
  upsertLegacyItem: POST('/api/v1/bundles/{bundle_id}/items', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Create or replace a legacy item',
    body: legacy.UpsertLegacyItem,
    answer: legacy.LegacyItem,
    deprecated: true,
  }),
  convertLegacyItem: POST('/api/v1/bundles/{bundle_id}/items/{key_name}/convert', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Put a library key in the place of a legacy item',
    created: key.Key,
    deprecated: true,
  }),
  deleteLegacyItem: DELETE('/api/v1/bundles/{bundle_id}/items/{key_name}', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Delete a legacy item',
    deprecated: true,
  }),
}
