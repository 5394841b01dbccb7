import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json } from '../../../../../src/api/meta/object.ts'
import { JqLimitError, JqSyntaxError } from '../../../../../src/cluster/kwok/jq/errors.ts'
import { compileQuery } from '../../../../../src/cluster/kwok/jq/query.ts'
import type { JqValue } from '../../../../../src/cluster/kwok/jq/values.ts'

/** A query with kwok's result. */
interface QueryCase {
  readonly query: string
  readonly expect: { readonly values?: readonly Json[]; readonly failed?: true; readonly error?: string }
}

const { data, cases } = JSON.parse(readFileSync('test/fixtures/kwok/queries.json', 'utf8')) as { data: Json; cases: QueryCase[] }

/** Parts of the language that are refused, with the part that the error names. */
const REFUSED: readonly [query: string, part: string][] = [
  ['.. = 1', 'operator "="'],
  ['.a |= 2', 'operator "|="'],
  ['def f: 1; f', '"def"'],
  ['reduce .[] as $x (0; . + $x)', '"reduce"'],
  ['@base64', 'format "@base64"'],
  ['env', 'function "env/0"'],
  ['[range(0;10;3)]', 'function "range/3"'],
  ['input', 'function "input/0"'],
]

/** Queries that gojq and this evaluator treat differently, with the reason. */
const DIFFERENT = new Set(['[1,2,3]|todate', ...REFUSED.map(([query]) => query)])

const run = (query: string, object: Json = null): readonly JqValue[] | undefined => compileQuery(query).run(object, 0)

const marked = (value: JqValue): unknown =>
  typeof value === 'bigint'
    ? { int: Number(value) }
    : Array.isArray(value)
      ? value.map(marked)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, marked(member)]))
        : value

describe('a query', () => {
  for (const { query, expect: answer } of cases.filter(one => !DIFFERENT.has(one.query)))
    it(`has the result of gojq: ${query}`, () => {
      if (answer.error !== undefined) return void expect(() => run(query, data)).to.throw(JqSyntaxError)
      const values = run(query, data)
      expect(values && JSON.parse(JSON.stringify(values.map(marked)))).to.deep.equal(answer.failed ? undefined : answer.values)
    })

  for (const [query, part] of REFUSED)
    it(`is refused by name if it uses a part that is not supported: ${query}`, () => {
      expect(() => run(query)).to.throw(JqSyntaxError, new RegExp(`^${part.replace(/[|"/]/g, '\\$&')} is not supported at position \\d+$`))
    })

  const malformed: readonly [query: string, message: string][] = [
    ['.a |', 'unexpected end of query at position 5'],
    ['.[', 'unexpected end of query at position 3'],
    ['1 == 1 == 1', 'unexpected "==" at position 8'],
    ['.a ~ 1', 'unexpected character "~" at position 4'],
    ['$x', 'variable not defined: $x at position 1'],
    ['"a', 'unterminated string at position 1'],
    ['a'.repeat(4001), 'a query may have at most 4000 characters at position 4001'],
    ['['.repeat(200), 'the query is nested too deeply at position 101'],
  ]
  for (const [query, message] of malformed)
    it(`is refused with its position: ${query.slice(0, 20)}`, () => {
      expect(() => run(query)).to.throw(JqSyntaxError, message)
    })

  const endless = [
    '[range(1000)] | map([range(1000)])',
    '[range(1000)] | . as $x | [$x[] | $x[]]',
    '"x" * 900000 | split("")',
    '[range(900) | {"key": "\\(.)", "value": 1}] | from_entries as $m | [range(900) | $m | length]',
    '((((((1,2)|(.,.))|(.,.))|(.,.))|(.,.))|(.,.)) as $a | ((((((1,2)|(.,.))|(.,.))|(.,.))|(.,.))|(.,.)) as $b | (1,2,3)',
  ]
  for (const query of endless)
    it(`ends if it takes too many steps, whatever handles errors: ${query}`, () => {
      expect(() => run(`try (${query}) catch 1`)).to.throw(JqLimitError, 'the query takes more than 10000 steps')
    })

  it('fails if a text or an integer becomes too large', () => {
    expect(run('"x" * 2000000')).to.equal(undefined)
    expect(run('9999999999 as $a | ($a*$a*$a*$a) as $b | ($b*$b*$b*$b) as $c | $c*$c*$c*$c')).to.equal(undefined)
  })

  it('reads the time that it is given', () => {
    expect(compileQuery('now | todate').run(null, 1_000_000)).to.deep.equal(['1970-01-01T00:16:40Z'])
  })

  it('treats the member __proto__ like others', () => {
    expect(run('{"__proto__": 1} | keys')).to.deep.equal([['__proto__']])
    expect(run('.constructor, .__proto__, .toString', {})).to.deep.equal([])
  })
})
