import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ImportPlan, ImportRequest, LibraryMoveRequest } from './answers.ts'
import { call } from './api.ts'
import { refreshLibrary } from './keys.ts'

/** What an import would do; nothing is written. */
export function planImport(body: ImportRequest, signal: AbortSignal): Promise<ImportPlan> {
  return call('POST', '/api/v1/imports', { body: { ...body, dry_run: true }, signal })
}

/** Import variables, all or nothing. */
export function useImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ImportRequest) => call('POST', '/api/v1/imports', { body }),
    // The values would otherwise stay in memory with the mutation's variables.
    gcTime: 0,
    onSuccess: () => refreshLibrary(client),
  })
}

/** What a move of a library would do; nothing is written. */
export function usePlanMove() {
  return useMutation({
    mutationFn: (library: LibraryMoveRequest['library']) =>
      call('POST', '/api/v1/library-moves', { body: { library, dry_run: true } }),
  })
}

/** Add a library of another server, all or nothing. */
export function useMove() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: LibraryMoveRequest) => call('POST', '/api/v1/library-moves', { body }),
    onSuccess: () => refreshLibrary(client),
  })
}
