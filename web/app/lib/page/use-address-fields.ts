import { useSearchParams } from 'wouter'

/** Texts kept in the address after the `?`, so that what a list shows can be linked to. An empty text is left out;
 * changes make no new entry in the browser's history. */
export function useAddressFields<Name extends string>() {
  const [params, setParams] = useSearchParams()
  const setAll = (values: Readonly<Record<string, string>>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(values)) {
          if (value === '') next.delete(name)
          else next.set(name, value)
        }
        return next
      },
      { replace: true },
    )
  const set = (name: Name, value: string) => setAll({ [name]: value })
  return { textOf: (name: Name) => params.get(name) ?? '', set, setAll }
}
