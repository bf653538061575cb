/** All the properties of several types. */
export type Joined<Part> = (Part extends unknown ? (part: Part) => void : never) extends (
  all: infer All,
) => void
  ? All & {}
  : never

/** What all modules of a list give under one name, as one object. */
export function joined<Name extends string, Modules extends Record<string, Record<Name, object>>>(
  modules: Modules,
  name: Name,
): Joined<Modules[keyof Modules][Name]> {
  return Object.assign({}, ...Object.values(modules).map((module) => module[name]))
}
