/** A term of a selector: `=`, `!=`, `in`, `notin` with values, `exists` and `absent` without. */
export interface Term {
  readonly name: string
  readonly op: '=' | '!=' | 'in' | 'notin' | 'exists' | 'absent'
  readonly values: readonly string[]
}

/** Selectors of a read or watch. All requirements must match. */
export interface Selection {
  readonly labels: readonly Term[]
  /** Only `=` and `!=`. */
  readonly fields: readonly Term[]
}

/** Fields that selectors read. */
export interface Selected {
  readonly labels: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

export const EVERYTHING: Selection = { labels: [], fields: [] }

export const selectsAll = ({ labels, fields }: Selection): boolean => labels.length === 0 && fields.length === 0

export const selects = (selection: Selection, { labels, fields }: Selected): boolean =>
  selection.labels.every(term => holds(term, labels[term.name])) && selection.fields.every(term => holds(term, fields[term.name] ?? ''))

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
function holds({ op, values }: Term, value: string | undefined): boolean {
  switch (op) {
    case '=':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
  }
}

/** Returns the query parameters of a selection. */
export function selectionQuery({ labels, fields }: Selection): [string, string][] {
  const query: [string, string][] = []
  if (labels.length > 0) query.push(['labelSelector', labels.map(termText).join(',')])
  if (fields.length > 0) query.push(['fieldSelector', fields.map(termText).join(',')])
  return query
}

function termText({ name, op, values }: Term): string {
  switch (op) {
    case '=':
    case '!=':
      return `${name}${op}${values[0]}`
    case 'in':
    case 'notin':
      return `${name} ${op} (${values.join(',')})`
    case 'exists':
      return name
    case 'absent':
      return `!${name}`
  }
}
