import type { Steps } from '../../../lib/steps.ts'
import { invalid, invalidStructure, required } from '../../../meta/field-error.ts'
import { CelExpressionError } from '../cel-expression.ts'
import type { FieldReader } from '../field-reader.ts'
import type { JqQuery } from '../jq/query.ts'
import type { JqValue } from '../jq/values.ts'
import { celAt, evaluateAbout, queryAt } from './expressions.ts'
import type { StageRequirement } from './stage.ts'

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const
type Operator = (typeof OPERATORS)[number]

/**
 * Reads a selector, in steps of one expression. Labels and annotations are compared first, then queries, then
 * expressions of CEL, as in kwok.
 */
export function* selectorOf(reader: FieldReader): Steps<StageRequirement[]> {
  const labels = [...(reader.textMap('matchLabels') ?? [])]
  const annotations = [...(reader.textMap('matchAnnotations') ?? [])]
  const queries: StageRequirement[] = []
  const expressions: StageRequirement[] = []
  for (const one of reader.objects('matchExpressions')) {
    yield
    readExpression(one, queries, expressions)
  }
  reader.rejectOthers()
  return [
    ...labels.map(
      ([key, value]): StageRequirement =>
        subject =>
          memberIs(subject.labels, key, value),
    ),
    ...annotations.map(
      ([key, value]): StageRequirement =>
        subject =>
          memberIs(subject.annotations, key, value),
    ),
    ...queries,
    ...expressions,
  ]
}

const memberIs = (members: Readonly<Record<string, string>>, key: string, value: string): boolean =>
  Object.hasOwn(members, key) && members[key] === value

/** Reads an expression: `jq`, or `key`, `operator` and `values` of older stages, or else `cel`. */
function readExpression(reader: FieldReader, queries: StageRequirement[], expressions: StageRequirement[]): void {
  const jq = reader.object('jq')
  const cel = reader.object('cel')
  const isOld = jq === undefined && reader.has('key')
  if (jq !== undefined || isOld) {
    const query = queryRequirement(isOld ? reader : (jq as FieldReader))
    if (query !== undefined) queries.push(query)
  } else if (cel !== undefined) {
    const expression = celRequirement(cel)
    if (expression !== undefined) expressions.push(expression)
  } else reader.report(invalidStructure(reader.path, 'must have jq, cel or key'))
  for (const name of ['key', 'operator', 'values']) reader.has(name)
  for (const one of [jq, cel, reader]) one?.rejectOthers()
}

function celRequirement(reader: FieldReader): StageRequirement | undefined {
  const text = reader.requiredText('expression')
  const compiled = text === '' ? undefined : celAt(reader, 'expression', text)
  if (compiled === undefined) return undefined
  return subject => {
    const value = evaluateAbout(compiled, subject)
    if (typeof value !== 'boolean') throw new CelExpressionError(`the expression ${JSON.stringify(text)} does not return a boolean`)
    return value
  }
}

function queryRequirement(reader: FieldReader): StageRequirement | undefined {
  const key = reader.requiredText('key')
  const operator = reader.oneOf('operator', OPERATORS)
  const values = new Set(reader.texts('values'))
  const path = reader.path.child('values')
  if (operator === undefined) {
    if (!reader.has('operator')) reader.report(required(reader.path.child('operator')))
  } else if (operator === 'In' || operator === 'NotIn') {
    if (values.size === 0) reader.report(required(path, `operator ${operator} needs values`))
  } else if (values.size > 0) reader.report(invalid(path, [...values], `operator ${operator} takes no values`))
  const query = key === '' ? undefined : queryAt(reader, 'key', key)
  return query && operator && (subject => matches(query, operator, values, subject))
}

/** Compares the results of a query. A query that fails has none. Source: kwok, pkg/utils/expression/selector.go. */
function matches(
  query: JqQuery,
  operator: Operator,
  values: ReadonlySet<string>,
  { object, now }: Parameters<StageRequirement>[0],
): boolean {
  const results = query.run(object, now) ?? []
  switch (operator) {
    case 'In':
      return results.some(result => isOneOf(result, values))
    case 'NotIn':
      return !results.some(result => isOneOf(result, values))
    case 'Exists':
      return results.length > 0
    case 'DoesNotExist':
      return results.length === 0
  }
}

/**
 * Reports whether a result is one of the values: a text, a boolean, or an integer that the query has made. Numbers of
 * the object never are, as in kwok.
 */
function isOneOf(result: JqValue, values: ReadonlySet<string>): boolean {
  return (typeof result === 'string' || typeof result === 'boolean' || typeof result === 'bigint') && values.has(`${result}`)
}
