import { DELETE, type Endpoint, POST } from '../endpoint.ts'
import * as key from '../schemas/key.ts'
import * as legacy from '../schemas/legacy-item.ts'

/** Legacy items: values that belong to one bundle only (deprecated). */
export const legacyItemEndpoints = {
  importItems: POST('/api/v1/bundles/{bundle_id}/import', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Import ENV text or JSON as legacy items',
    body: legacy.ImportItems,
    responses: { 200: legacy.ImportedItems },
    deprecated: true,
  }),
  upsertLegacyItem: POST('/api/v1/bundles/{bundle_id}/items', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Create or replace a legacy item',
    body: legacy.UpsertLegacyItem,
    responses: { 200: legacy.LegacyItem },
    deprecated: true,
  }),
  convertLegacyItem: POST('/api/v1/bundles/{bundle_id}/items/{key_name}/convert', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Put a library key in the place of a legacy item',
    responses: { 201: key.Key },
    deprecated: true,
  }),
  deleteLegacyItem: DELETE('/api/v1/bundles/{bundle_id}/items/{key_name}', 'owner', {
    touch: { by: 'bundle', lasts: 'never' },
    summary: 'Delete a legacy item',
    deprecated: true,
  }),
} as const satisfies Record<string, Endpoint>
