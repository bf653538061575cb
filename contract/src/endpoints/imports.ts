import { POST } from '../endpoint.ts'
import { ImportPlan, ImportVariables } from '../schemas/import.ts'
import { LibraryMove, MoveLibrary } from '../schemas/library-move.ts'

/** Many variables at once. */
export const importEndpoints = {
  importVariables: POST('/api/v1/imports', 'member', {
    touch: { by: 'body', lasts: 'effect' },
    summary:
      'Import variables into a bundle, all or nothing, or show what that would do (owner; a member when it only creates)',
    body: ImportVariables,
    answer: ImportPlan,
  }),
  moveLibrary: POST('/api/v1/library-moves', 'owner', {
    touch: { by: 'workspace', lasts: 'effect' },
    summary: 'Add a library of another server, all or nothing, or show what that would do',
    body: MoveLibrary,
    answer: LibraryMove,
  }),
}
