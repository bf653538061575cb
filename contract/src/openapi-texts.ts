import fieldTexts from './field-texts.json' with { type: 'json' }
import texts from './schema-texts.json' with { type: 'json' }

type Described = {
  readonly description?: string | undefined
  readonly properties?: Readonly<Record<string, object | boolean>> | undefined
}

const TEXTS: Readonly<Record<string, string>> = texts
/** What a field of a name means in every schema that says nothing else. */
const FIELDS: Readonly<Record<string, string>> = fieldTexts
const SENTENCES = /(?<=[.;]) (?=[A-Z`])/
const FIELD = /^`(\w+)`/

/** A named schema with the text of its doc comment. A sentence that begins with a field describes this field, and so do
 * the sentences after it. */
export function described<S extends Described>(id: string, schema: S): S {
  const { own, ofFields } = parts(TEXTS[id] ?? '', Object.keys(schema.properties ?? {}))
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const text = ofFields[name] ?? FIELDS[name]
    const isNamed = typeof field === 'boolean' || '$ref' in field
    return [name, text === undefined || isNamed ? field : { description: text, ...field }]
  })
  return {
    ...(own === '' ? {} : { description: own }),
    ...schema,
    ...(schema.properties === undefined ? {} : { properties: Object.fromEntries(properties) }),
  }
}

function parts(text: string, fields: readonly string[]) {
  const ofFields: Record<string, string> = {}
  const own: string[] = []
  let field: string | undefined
  for (const sentence of text.split(SENTENCES)) {
    const name = FIELD.exec(sentence)?.[1]
    if (name !== undefined) field = fields.includes(name) ? name : undefined
    if (field === undefined) own.push(sentence)
    else ofFields[field] = `${ofFields[field] ?? ''} ${withoutName(sentence, field)}`.trim()
  }
  return { own: own.join(' ').replace(/;$/, '.'), ofFields }
}

function withoutName(sentence: string, field: string): string {
  const text = sentence.replace(`\`${field}\`: `, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
