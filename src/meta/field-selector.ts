/** One term of a field selector. `==` is `=`. */
export interface FieldTerm {
  readonly field: string
  readonly op: '=' | '!='
  readonly value: string
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  const chars = [...text]
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i] as string
    if (c === '\\') {
      const next = chars[++i]
      if (next === undefined) throw new Error('invalid field selector: invalid escape sequence: \\')
      if (next !== '\\' && next !== ',' && next !== '=') throw new Error(`invalid field selector: invalid escape sequence: \\${next}`)
      value += next
    } else if (c === ',' || c === '=') {
      throw new Error(`invalid field selector: unescaped character in value: ${c.charCodeAt(0)}`)
    } else {
      value += c
    }
  }
  return value
}

/** Parses the query parameter `fieldSelector`: terms in the order of their texts. Throws an Error with apimachinery's text. */
export function parseFieldSelector(text: string): FieldTerm[] {
  const terms: FieldTerm[] = []
  for (const part of splitTerms(text).sort()) {
    if (part === '') continue
    const at = part.search(/!=|=/)
    if (at < 0) throw new Error(`invalid selector: '${text}'; can't understand '${part}'`)
    const operator = part.startsWith('!=', at) ? '!=' : part.startsWith('==', at) ? '==' : '='
    const field = part.slice(0, at)
    const value = unescapeValue(part.slice(at + operator.length))
    if (field === '' && value === '') continue
    terms.push({ field, op: operator === '!=' ? '!=' : '=', value })
  }
  return terms
}

/** `fields`: the selectable values by name; one that is missing is the empty text. */
export function matchesFields(terms: readonly FieldTerm[], fields: Readonly<Record<string, string>> | ((field: string) => string)): boolean {
  for (const { field, op, value } of terms) {
    const actual = typeof fields === 'function' ? fields(field) : Object.hasOwn(fields, field) ? fields[field] : ''
    if ((actual === value) !== (op === '=')) return false
  }
  return true
}

/** The value that a selector requires of a field, if it requires just one. */
export const requiredFieldValue = (terms: readonly FieldTerm[], field: string): string | undefined =>
  terms.find(term => term.field === field && term.op === '=')?.value

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, c => `\\${c}`)

export const printFieldSelector = (terms: readonly FieldTerm[]): string => terms.map(({ field, op, value }) => `${field}${op}${escapeValue(value)}`).join(',')
