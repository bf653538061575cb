import { z } from 'zod'
import { ALLOWED, DELETE, GET, POST, PUT } from '../endpoint.ts'
import * as bundle from '../schemas/bundle.ts'
import { CompareQuery, Comparison } from '../schemas/comparison.ts'
import { OkMessage } from '../schemas/text.ts'

/** Bundles: named groups of keys. */
export const bundleEndpoints = {
  createBundle: POST('/api/v1/bundles', 'member', {
    touch: 'gives_nothing',
    summary: 'Create a bundle',
    body: bundle.CreateBundle,
    created: bundle.Bundle,
    errors: [409],
  }),
  listBundles: GET('/api/v1/bundles', 'member', {
    program: 'read',
    summary: 'List bundles by name',
    query: bundle.ListBundlesQuery,
    answer: bundle.BundleList,
  }),
  getBundle: GET('/api/v1/bundles/{bundle_id}', 'member', {
    program: 'read',
    summary: 'A bundle with its entries; secret values masked',
    answer: bundle.BundleWithItems,
  }),
  updateBundle: PUT('/api/v1/bundles/{bundle_id}', 'member', {
    touch: { by: 'bundle', lasts: 'effect' },
    summary: `Change a bundle's name, description or tags${ALLOWED}`,
    body: bundle.UpdateBundle,
    answer: bundle.Bundle,
  }),
  duplicateBundle: POST('/api/v1/bundles/{bundle_id}/duplicate', 'member', {
    touch: { by: 'bundle', lasts: 'effect' },
    summary:
      'Create a bundle with the keys, description and tags of another; owners choose the keys that it gets as copies',
    body: bundle.DuplicateBundle,
    created: bundle.Bundle,
  }),
  deleteBundle: DELETE('/api/v1/bundles/{bundle_id}', 'owner', {
    touch: { by: 'bundle', lasts: 'effect' },
    summary: 'Delete a bundle; its keys stay in the library',
    answer: OkMessage,
  }),
  compareBundles: GET('/api/v1/compare', 'member', {
    summary:
      'Compare the names that bundles deliver; with facts=1 also what is known of each value, secret values masked',
    query: CompareQuery,
    answer: Comparison,
  }),
  exportBundle: GET('/api/v1/bundles/{bundle_id}/export', 'member', {
    summary: 'Export as ENV text or JSON; secret values masked',
    query: bundle.ExportQuery,
    answer: z.union([bundle.ExportedEnv, bundle.ExportedJson]),
    text: 'text/plain',
  }),
}
