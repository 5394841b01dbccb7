import type { JsonSchemaProps } from '../../src/api/apiextensions/json-schema-props.ts'
import type { Overload } from '../../src/cel/declarations.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE, extend, withLibrary } from '../../src/cel/environment.ts'
import { AuthorizerValue } from '../../src/cel/functions/authorization.ts'
import { BINDING_MACROS } from '../../src/cel/macros.ts'
import { declareTypes } from '../../src/cel/schema/declared-type.ts'
import { schemaValue } from '../../src/cel/schema/schema-value.ts'
import { parseType, type Type } from '../../src/cel/type.ts'
import type { Value } from '../../src/cel/values/value.ts'
import { type PumpedText, pumped } from './pumped-texts.ts'

/** An expression that calls one function, or one macro, with the members of `self` as arguments. */
export interface CelCall {
  /** Signature, or macro. */
  readonly of: string
  readonly expression: string
  /** Costs the product of two sizes, as upstream's estimate of it says: the limit of a call bounds it. */
  readonly isProduct?: true
}

const text: JsonSchemaProps = { type: 'string' }
const SELF: JsonSchemaProps = {
  type: 'object',
  properties: {
    text,
    other: text,
    digits: text,
    dotted: text,
    list: { type: 'array', items: text },
    numbers: { type: 'array', items: { type: 'integer' } },
    map: { type: 'object', additionalProperties: text },
  },
}

const declared = declareTypes(SELF, false, 'selfType')
/** Every function and macro of every release, with the variables `self` and `authorizer`. */
export const CALL_ENVIRONMENT: Environment = withLibrary(
  extend(
    baseEnvironment(EVERY_RELEASE),
    { self: declared.type as Type, authorizer: parseType('kubernetes.authorization.Authorizer') },
    declared.struct,
  ),
  [],
  BINDING_MACROS,
)

/**
 * Variables whose texts have so many characters, and whose lists hold as many in parts. `nth` varies the second text.
 */
export function callVariables(pumpedText: PumpedText, length: number, nth: number): Map<string, Value> {
  const whole = pumped(pumpedText, length)
  const { piece, before, after } = pumpedText
  const half = pumped({ before, piece, after: 'z' }, Math.floor(length / 2))
  const quarter = piece.repeat(Math.floor(length / 4 / piece.length))
  // Searches that know little of long parts begin anew after a part whose middle does not fit.
  const others = [piece, half + half, whole, half, after, before + piece, `${quarter}z${quarter}`]
  const list = Array.from({ length: Math.floor(length / 100) }, (_, i) => `${pumped(pumpedText, 90)}${i}`)
  const self = {
    text: whole,
    other: others[nth % others.length] as string,
    digits: nth % 2 === 0 ? `1${'0'.repeat(length - 2)}1` : `0.${'0'.repeat(length - 3)}1`,
    dotted: nth % 2 === 0 ? `${'a.'.repeat(length / 2)}a` : '0'.repeat(length),
    list,
    numbers: Array.from({ length: Math.floor(length / 20) }, (_, i) => i),
    map: Object.fromEntries(list.map(item => [item, item])),
  }
  return new Map<string, Value>([
    ['self', schemaValue(self, SELF) as Value],
    ['authorizer', new AuthorizerValue(() => ({ allowed: true, reason: '' }))],
  ])
}

const RESOURCE = 'authorizer.group("apps").resource("pods")'
/**
 * Expressions of types other than strings, by name. Types that are parsed from text get a long text, valid if possible.
 */
const VALUES: Readonly<Record<string, string>> = {
  bool: '(self.text == "")',
  int: '(size(self.text) - 1)',
  uint: '1u',
  double: '1.5',
  bytes: 'bytes(self.text)',
  'google.protobuf.Duration': 'duration("1h")',
  'google.protobuf.Timestamp': 'timestamp("2026-01-02T03:04:05Z")',
  null_type: 'null',
  'kubernetes.Quantity': 'quantity(self.digits)',
  'kubernetes.URL': 'url("http://a/" + self.text)',
  'kubernetes.Semver': 'semver("1.0.0-" + self.dotted)',
  'kubernetes.NamedFormat': 'format.named("uuid").value()',
  'net.IP': 'ip("10.0.0.1")',
  'net.CIDR': 'cidr("10.0.0.0/8")',
  'kubernetes.authorization.Authorizer': 'authorizer',
  'kubernetes.authorization.PathCheck': 'authorizer.path(self.text)',
  'kubernetes.authorization.GroupCheck': 'authorizer.group(self.text)',
  'kubernetes.authorization.ResourceCheck': RESOURCE,
  'kubernetes.authorization.Decision': `${RESOURCE}.name(self.text).check(self.other)`,
}

function argumentOf(type: Type, isFirst: boolean): string {
  switch (type.kind) {
    case 'list':
      return listOf(type.params[0], isFirst)
    case 'map':
      return 'self.map'
    case 'string':
    case 'dyn':
    case 'any':
    case 'param':
      return isFirst ? 'self.text' : 'self.other'
    case 'type':
      return 'type(self.text)'
    default:
      if (type.name === 'optional_type') return `optional.of(${argumentOf(type.params[0] as Type, isFirst)})`
      return VALUES[type.name] ?? fail(`no value of the type ${type.name}`)
  }
}

function listOf(element: Type, isFirst: boolean): string {
  if (element.kind === 'int') return 'self.numbers'
  if (element.kind === 'string' || element.kind === 'dyn' || element.kind === 'param') return 'self.list'
  const one = argumentOf(element, isFirst)
  return `[${one}, ${one}]`
}

function fail(message: string): never {
  throw new Error(message)
}

const PRODUCTS = /^(?:list_sets_|list_distinct|matches|string_find)/

/** A call of every signature that a program can write, but for those of compiled macros. */
export function functionCalls(): CelCall[] {
  const calls: CelCall[] = []
  for (const { name, overloads } of CALL_ENVIRONMENT.functions.values())
    for (const overload of overloads) {
      const expression = callOf(name, overload)
      if (expression !== undefined) calls.push({ of: overload.id, expression, ...(PRODUCTS.test(overload.id) && { isProduct: true }) })
    }
  return [...calls, ...formatCalls()]
}

/**
 * Operators by the names of their functions, with `0` to `2` for operands. Names that no program can write have no row,
 * and are left out.
 */
const OPERATORS: Readonly<Record<string, string>> = {
  '!_': '!0',
  '-_': '-0',
  '@in': '0 in 1',
  '_?_:_': '0 ? 1 : 2',
  '_[_]': '0[1]',
  '_?._': '0.?text',
  '_[?_]': '0[?1]',
}
/** Operators with an operand at each side. */
const INFIX = /^_([^_?]+)_$/
const HIDDEN = /^(?:@not_strictly_false|__not_strictly_false__|in|_in_|cel\.@mapInsert|@sortByAssociatedKeys)$/

function callOf(name: string, { args, member }: Overload): string | undefined {
  const values = args.map((type, i) => argumentOf(type, i === 0))
  if (name === '_?._') return 'self.?text'
  const operator = OPERATORS[name] ?? (INFIX.test(name) && !HIDDEN.test(name) ? `0 ${name.slice(1, -1)} 1` : undefined)
  if (operator !== undefined) return operator.replace(/(?<![\w"])[0-2](?![\w"])/g, digit => `(${values[Number(digit)]})`)
  if (HIDDEN.test(name)) return undefined
  return member ? `${values[0]}.${name}(${values.slice(1).join(', ')})` : `${name}(${values.join(', ')})`
}

/** Every format, and every text that a `format` prints. */
const formatCalls = (): CelCall[] => [
  ...[...CALL_ENVIRONMENT.functions.keys()]
    .filter(name => name.startsWith('format.') && name !== 'format.named')
    .map(name => ({ of: name, expression: `${name}().validate(self.text)` })),
  ...['self.text', 'self.list', 'self.map', '[self.digits]', 'bytes(self.text)'].map(value => ({
    of: 'string_format',
    expression: `"%s %s".format([${value}, ${value}])`,
  })),
  { of: 'string_format', expression: '"%x %X".format([self.text, bytes(self.text)])' },
]

/** Macros, by their keys, each with an expression. */
export const MACRO_CALLS: Readonly<Record<string, string>> = {
  'has:1': 'has(self.text)',
  'all:2:member': 'self.list.all(x, x != self.other)',
  'exists:2:member': 'self.list.exists(x, x == self.other)',
  'exists_one:2:member': 'self.list.exists_one(x, x == self.other)',
  'map:2:member': 'self.list.map(x, x + "a")',
  'map:3:member': 'self.list.map(x, x != "", x + "a")',
  'filter:2:member': 'self.list.filter(x, x.contains("a"))',
  'all:3:member': 'self.map.all(k, v, k == v)',
  'exists:3:member': 'self.list.exists(i, x, i < 0)',
  'exists_one:3:member': 'self.list.exists_one(i, x, i == 1)',
  'existsOne:3:member': 'self.list.existsOne(i, x, i == 1)',
  'transformList:3:member': 'self.list.transformList(i, x, x + string(i))',
  'transformList:4:member': 'self.map.transformList(k, v, k != "", v)',
  'transformMap:3:member': 'self.map.transformMap(k, v, v + "a")',
  'transformMap:4:member': 'self.map.transformMap(k, v, k != "", v)',
  'transformMapEntry:3:member': 'self.map.transformMapEntry(k, v, {v: k})',
  'transformMapEntry:4:member': 'self.map.transformMapEntry(k, v, k != "", {v: k})',
  'optMap:2:member': 'self.?text.optMap(x, x + x)',
  'optFlatMap:2:member': 'self.?text.optFlatMap(x, optional.of(x))',
  'bind:3:member': 'cel.bind(x, self.text + self.text, x + x)',
  'sortBy:2:member': 'self.list.sortBy(x, x)',
}

/** Expressions of patterns that are hard for engines that go back, and chains whose results grow. */
const MORE: readonly string[] = [
  ...['(a?){20}$', '(a*)*$', '(a|aa)+$', '^(0+)+$', '[a-z]+.*[a-z]+.*$', '(?i)(k|s)+$', '\\\\w+\\\\s*\\\\w+$'].flatMap(pattern =>
    ['matches', 'find', 'findAll'].map(name => `self.text.${name}("${pattern}")`),
  ),
  'self.text.findAll("", 100000)',
  '(self.text + self.text).lowerAscii().upperAscii().find("(?s)(.a|.b)*\\x00c")',
  'self.text.split("").join("ab")',
  'self.text.replace("", "ab").replace("a", "")',
  '(self.text + self.text + self.text).lowerAscii().upperAscii().trim()',
  'self.text.split(self.other).join(self.text) == self.text',
  'strings.quote(strings.quote(self.text))',
  'bytes(self.text) + bytes(self.text) == b"a"',
  'string(bytes(self.text)) == self.text',
  'quantity(self.digits).add(quantity(self.digits)).compareTo(quantity(self.digits))',
  'semver("1.0.0-" + self.dotted).compareTo(semver("1.0.0-" + self.dotted))',
  'url("http://a/?" + self.text).getQuery() == {}',
  'url(self.text).getHost()',
  `${RESOURCE}.labelSelector(self.text).fieldSelector(self.text).check("get").allowed()`,
]

/** Each match needs a look at the rest of the text. */
const REPEATED_SEARCHES: readonly string[] = [
  'self.text.findAll("(?s).*\\x00\\x00|.")',
  'self.text.findAll("(?s).*\\x00\\x00|.{3}", 1000000)',
  'self.list.join(self.text) != ""',
]

export const macroCalls = (): CelCall[] => Object.entries(MACRO_CALLS).map(([of, expression]) => ({ of, expression }))
export const moreCalls = (): CelCall[] => [
  ...MORE.map(expression => ({ of: 'more', expression })),
  ...REPEATED_SEARCHES.map(expression => ({ of: 'more', expression, isProduct: true as const })),
]
