import { type ComponentType, lazy, Suspense } from 'react'

/** A component whose module loads when it is first shown. Until then, only a mark that it comes is in its place. */
export function deferred<Name extends string, Props extends object>(
  name: Name,
  load: () => Promise<{ readonly [N in Name]: ComponentType<Props> }>,
) {
  // The compiler cannot follow the properties of a component whose type is a parameter.
  const Part = lazy(async () => ({ default: (await load())[name] })) as unknown as ComponentType<Props>
  return (props: Props) => (
    <Suspense fallback={<i hidden data-awaited />}>
      <Part {...props} />
    </Suspense>
  )
}
