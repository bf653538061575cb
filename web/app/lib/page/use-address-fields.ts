import { useSearchParams } from 'wouter'

/** Texts kept in the address after the `?`, so that what a list shows can be linked to. An empty text is left out;
 * changes make no new entry in the browser's history. */
export function useAddressFields<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams()
  const fields = new Map(names.map((name) => [name, params.get(name) ?? '']))
  const set = (name: Name, value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return { textOf: (name: Name) => fields.get(name) ?? '', set }
}
